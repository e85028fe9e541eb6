#include "kinds/transcripts/reading/drift.h"

#include "base/ids.h"
#include "base/text/text.h"
#include "jsonl/scan.h"
#include "jsonl/spelling.h"
#include "kinds/transcripts/lines/each_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <unordered_map>
#include <unordered_set>

namespace holdfast::transcripts {

namespace {

// "2.1.197": seen in files that client wrote. "reported": named by users, by the vendor's open SDK or by older tools, not seen by
// us.
// "<2.1.128" and such: of older clients, gone since.

constexpr KnownType kTypes[] = {
    {"user", "2.1.197", "a prompt, a tool result, or a summary made by compaction"},
    {"assistant", "2.1.197", "one content block of an answer of the model"},
    {"attachment", "2.1.197", "context the client adds: files, listings, reminders"},
    {"system", "2.1.197", "what the client says: commands, durations, compaction, errors"},
    {"progress", "reported", "a running tool or hook"},
    {"summary", "<2.1.70", "a title made by the model"},
    {"file-history-snapshot", "2.1.197", "which copies of files belong to a message, for rewind"},
    {"queue-operation", "2.1.197", "a prompt put into the queue or taken from it"},
    {"custom-title", "2.1.197", "the title a person gave"},
    {"ai-title", "2.1.197", "the title the model gave"},
    {"last-prompt", "2.1.197", "the last prompt, and the leaf where a resume goes on"},
    {"tag", "reported", "a tag a person gave"},
    {"agent-name", "2.1.197", "the name of the session as an agent"},
    {"agent-color", "reported", "the colour of the session as an agent"},
    {"agent-setting", "reported", "the agent the session runs as"},
    {"mode", "2.1.197", "the mode of the prompt line"},
    {"permission-mode", "2.1.197", "what is allowed without asking"},
    {"worktree-state", "2.1.197", "the git worktree the session works in"},
    {"relocated", "reported", "the project moved"},
    {"pr-link", "reported", "the pull request the session belongs to"},
    {"bridge-session", "reported", "a binding to a remote session; left out of copies"},
    {"saved_hook_context", "reported", "what a hook added to the context"},
    {"content-replacement", "reported", "content that was replaced by a shorter form"},
    {"fork-context-ref", "reported", "where a fork takes its context from"},
    {"isolation-latch", "reported", "that the session runs isolated"},
    {"speculation-accept", "reported", "an answer prepared in advance was taken"},
    {"started", "2.1.197", "in the journal of a workflow: an agent began"},
    {"result", "2.1.197", "in the journal of a workflow: an agent's answer"},
};

constexpr KnownField kKnownFields[] = {
    {"*", "type", "string", "2.1.197"},
    {"*", "sessionId", "string", "2.1.197"},
    {"*", "uuid", "string", "2.1.197"},
    {"*", "parentUuid", "string|null", "2.1.197"},
    {"*", "logicalParentUuid", "string|null", "2.1.197"},
    {"*", "isSidechain", "boolean", "2.1.197"},
    {"*", "timestamp", "string", "2.1.197"},
    {"*", "userType", "string", "2.1.197"},
    {"*", "entrypoint", "string", "2.1.197"},
    {"*", "cwd", "string", "2.1.197"},
    {"*", "version", "string", "2.1.197"},
    {"*", "gitBranch", "string", "2.1.197"},
    {"*", "slug", "string|null", "2.1.197"},
    {"*", "agentId", "string", "2.1.197"},
    {"*", "isMeta", "boolean", "2.1.197"},
    {"*", "forkedFrom", "object", "2.1.197"},
    {"*", "teamName", "string", "reported"},

    {"user", "message", "object", "2.1.197"},
    {"user", "promptId", "string", "2.1.197"},
    {"user", "permissionMode", "string", "2.1.197"},
    {"user", "promptSource", "string", "2.1.197"},
    {"user", "origin", "object", "2.1.197"},
    {"user", "toolUseResult", "object|array|string", "2.1.197"},
    {"user", "sourceToolAssistantUUID", "string", "2.1.197"},
    {"user", "sourceToolUseID", "string", "reported"},
    {"user", "mcpMeta", "object", "2.1.197"},
    {"user", "isCompactSummary", "boolean", "2.1.197"},
    {"user", "isVisibleInTranscriptOnly", "boolean", "2.1.197"},
    {"user", "thinkingMetadata", "object", "reported"},
    {"user", "todos", "array", "reported"},
    {"user", "imagePasteIds", "array", "reported"},
    {"user", "planContent", "string", "reported"},

    {"assistant", "message", "object", "2.1.197"},
    {"assistant", "requestId", "string", "2.1.197"},
    {"assistant", "attributionAgent", "string", "2.1.197"},
    {"assistant", "attributionMcpServer", "string", "2.1.197"},
    {"assistant", "attributionMcpTool", "string", "2.1.197"},
    {"assistant", "isApiErrorMessage", "boolean", "2.1.197"},
    {"assistant", "error", "string", "reported"},

    {"attachment", "attachment", "object", "2.1.197"},

    {"system", "subtype", "string", "2.1.197"},
    {"system", "content", "string", "2.1.197"},
    {"system", "level", "string", "2.1.197"},
    {"system", "durationMs", "number", "2.1.197"},
    {"system", "messageCount", "number", "2.1.197"},
    {"system", "compactMetadata", "object", "2.1.197"},
    {"system", "microcompactMetadata", "object", "reported"},
    {"system", "toolUseID", "string", "reported"},
    {"system", "hookCount", "number", "reported"},
    {"system", "hookInfos", "array", "reported"},
    {"system", "hookErrors", "array", "reported"},
    {"system", "hasOutput", "boolean", "reported"},
    {"system", "preventedContinuation", "boolean", "reported"},
    {"system", "stopReason", "string", "reported"},
    {"system", "error", "object|string", "reported"},
    {"system", "cause", "object|string", "reported"},
    {"system", "retryInMs", "number", "reported"},
    {"system", "retryAttempt", "number", "reported"},
    {"system", "maxRetries", "number", "reported"},

    {"progress", "data", "object", "reported"},
    {"progress", "toolUseID", "string", "reported"},
    {"progress", "parentToolUseID", "string", "reported"},

    {"summary", "summary", "string", "<2.1.70"},
    {"summary", "leafUuid", "string", "<2.1.70"},
    {"file-history-snapshot", "messageId", "string", "2.1.197"},
    {"file-history-snapshot", "snapshot", "object", "2.1.197"},
    {"file-history-snapshot", "isSnapshotUpdate", "boolean", "2.1.197"},
    {"queue-operation", "operation", "string", "2.1.197"},
    {"queue-operation", "content", "string", "2.1.197"},
    {"custom-title", "customTitle", "string", "2.1.197"},
    {"ai-title", "aiTitle", "string", "2.1.197"},
    {"last-prompt", "lastPrompt", "string", "2.1.197"},
    {"last-prompt", "leafUuid", "string", "2.1.197"},
    {"tag", "tag", "string", "reported"},
    {"agent-name", "agentName", "string", "2.1.197"},
    {"agent-color", "agentColor", "string", "reported"},
    {"agent-setting", "agentSetting", "string", "reported"},
    {"mode", "mode", "string", "2.1.197"},
    {"permission-mode", "permissionMode", "string", "2.1.197"},
    {"worktree-state", "worktreeSession", "object|null", "2.1.197"},
    {"pr-link", "prNumber", "number", "reported"},
    {"pr-link", "prUrl", "string", "reported"},
    {"pr-link", "prRepository", "string", "reported"},

    {"started", "key", "string", "2.1.197"},
    {"result", "key", "string", "2.1.197"},
    {"result", "result", "object|array|string|number|boolean|null", "2.1.197"},
};

constexpr std::array<std::string_view, 1> kVersions = {"2.1.197"};

}  // namespace

std::span<const KnownType> known_types() {
  return kTypes;
}

std::span<const KnownField> known_fields() {
  return kKnownFields;
}

std::span<const std::string_view> known_versions() {
  return kVersions;
}

namespace {

// "string|null" -> ["string", "null"]
Json schema_types(std::string_view words) {
  JsonArray types;
  while (true) {
    const std::size_t bar = words.find('|');
    types.push_back(Json(words.substr(0, bar)));
    if (bar == std::string_view::npos) break;
    words.remove_prefix(bar + 1);
  }
  return types.size() == 1 ? types[0] : Json(types);
}

JsonObject properties_of(std::string_view type) {
  JsonObject properties;
  for (const KnownField& field : known_fields()) {
    if (field.type != type) continue;
    properties[field.field] = JsonObject{{"type", schema_types(field.json)}, {"$comment", field.seen}};
  }
  return properties;
}

}  // namespace

JsonObject record_schema() {
  JsonArray rules;
  for (const KnownType& type : known_types()) {
    const JsonObject of_this_type{{"properties", JsonObject{{"type", JsonObject{{"const", type.type}}}}},
                                  {"required", JsonArray{"type"}}};
    rules.push_back(JsonObject{{"$comment", type.seen},
                               {"if", of_this_type},
                               {"then", JsonObject{{"description", type.meaning}, {"properties", properties_of(type.type)}}}});
  }
  return {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
          {"title", "One line of a Claude Code transcript, as far as holdfast knows it"},
          {"description", "Other types and fields are allowed: new ones arrive with every client."},
          {"type", "object"},
          {"properties", properties_of("*")},
          {"allOf", std::move(rules)}};
}

namespace {

constexpr std::size_t kShortestHex = 6;  // shorter ones are words: "add", "face"

std::size_t run(std::string_view text, bool (*belongs)(char)) {
  return static_cast<std::size_t>(std::ranges::find_if_not(text, belongs) - text.begin());
}

}  // namespace

std::string path_shape(std::string_view path, const SessionPlace& place) {
  std::string out;
  const std::string own_folder = "projects/" + place.project_folder + "/";
  if (path.starts_with(own_folder)) {
    out = "projects/*/";
    path.remove_prefix(own_folder.size());
  }
  while (!path.empty()) {
    if (path.starts_with(place.session_id)) {
      out += "SESSION";
      path.remove_prefix(place.session_id.size());
    } else if (path.size() >= kUuidLength && is_uuid(path.substr(0, kUuidLength))) {
      out += "UUID";
      path.remove_prefix(kUuidLength);
    } else if (const std::size_t hex = run(path, is_lower_hex);
               hex >= kShortestHex && std::ranges::any_of(path.substr(0, hex), is_ascii_digit)) {
      out += "HEX";
      path.remove_prefix(hex);
    } else if (const std::size_t digits = run(path, is_ascii_digit); digits > 0) {
      out += "N";
      path.remove_prefix(digits);
    } else {
      out += path.front();
      path.remove_prefix(1);
    }
  }
  return out;
}

namespace {

constexpr std::size_t kMaxKinds = 500;     // of one sort; a report with more of them says the same: look at the client
constexpr std::size_t kMaxNameChars = 80;  // names are words; a longer one is data in the wrong place
constexpr std::size_t kMaxVersions = 5;    // shown of each

using Report = std::map<std::string, DriftReport::Seen>;

class DriftSearch {
 public:
  explicit DriftSearch(DriftReport& report) : report_(report) {
    for (const KnownType& type : known_types()) fields_[type.type];
    for (const KnownField& field : known_fields())
      for (auto& [type, names] : fields_)
        if (field.type == "*" || field.type == type) names.insert(field.field);
    versions_.insert(known_versions().begin(), known_versions().end());
  }

  void begin_file() { version_.clear(); }

  void take(const Artifact& artifact, const jsonl::Line& line) {
    if (line.overlong || !scanner_.members(line.text, members_).parsed() || members_.empty()) return;
    ++report_.records;
    place_ = {&artifact, line.number};
    const jsonl::Member* type = nullptr;
    for (const jsonl::Member& member : members_) {
      if (member.name == "type") type = &member;
      if (member.name == "version") take_version(member.value);
    }
    if (!type || type->value.kind != jsonl::TokenKind::string) return note(report_.types, "(none)");
    const std::string_view name = type->value.raw.substr(1, type->value.raw.size() - 2);
    const auto known = fields_.find(name);
    if (known == fields_.end()) return note(report_.types, type->value.text());
    for (const jsonl::Member& member : members_)
      if (!known->second.contains(member.name)) note(report_.fields, fmt::format("{}.{}", name, jsonl::text_of(member.name)));
  }

  void take_file(const Artifact& artifact, const SessionPlace& place) {
    place_ = {&artifact, 0};
    note(report_.files, path_shape(artifact.path, place));
  }

 private:
  // A record without one was written by the client that wrote the record before it.
  void take_version(const jsonl::Token& token) {
    if (token.kind != jsonl::TokenKind::string) return;
    const std::string_view raw = token.raw.substr(1, token.raw.size() - 2);
    if (raw != version_) version_ = shorten(token.text(), kMaxNameChars);
    if (!versions_.contains(version_)) note(report_.versions, version_);
  }

  void note(Report& sort, const std::string& whole_name) {
    std::string name = shorten(to_valid_utf8(whole_name), kMaxNameChars);
    auto found = sort.find(name);
    if (found == sort.end()) {
      if (sort.size() >= kMaxKinds) name = "(more)";
      found = sort.try_emplace(std::move(name)).first;
    }
    DriftReport::Seen& seen = found->second;
    if (seen.count++ == 0) {
      seen.example = place_.line > 0 ? fmt::format("{}:{}", place_.artifact->path, place_.line) : place_.artifact->path;
    }
    note_version(seen);
  }

  void note_version(DriftReport::Seen& seen) {
    if (version_.empty()) return;
    auto& versions = versions_of_[&seen];
    if (versions.size() >= kMaxVersions || !versions.insert(version_).second) return;
    seen.versions += (seen.versions.empty() ? "" : ", ") + version_;
  }

  struct Place {
    const Artifact* artifact = nullptr;
    std::uint64_t line = 0;
  };

  DriftReport& report_;
  std::unordered_map<std::string_view, std::unordered_set<std::string_view>> fields_;  // of each known type
  std::set<std::string, std::less<>> versions_;
  std::unordered_map<const DriftReport::Seen*, std::set<std::string>> versions_of_;  // map nodes stay where they are
  std::string version_;                                                              // in force
  Place place_;
  jsonl::Scanner scanner_;
  std::vector<jsonl::Member> members_;
};

JsonObject to_json(const Report& sort) {
  JsonObject out;
  for (const auto& [name, seen] : sort) {
    JsonObject entry{{"count", seen.count}, {"example", seen.example}};
    if (!seen.versions.empty()) entry["versions"] = seen.versions;
    out[name] = std::move(entry);
  }
  return out;
}

}  // namespace

JsonObject to_json(const DriftReport& report) {
  return {{"none", report.none()},          {"sessions", report.sessions},      {"records", report.records},
          {"types", to_json(report.types)}, {"fields", to_json(report.fields)}, {"versions", to_json(report.versions)},
          {"files", to_json(report.files)}};
}

Result<DriftReport> find_drift(const Home& home, const std::vector<FoundSession>& sessions, const Progress& progress) {
  DriftReport report;
  DriftSearch search(report);
  for (const FoundSession& session : sessions) {
    auto inventory = take_inventory(home, session.place);
    if (!inventory && inventory.error().kind == ErrorKind::not_found) continue;  // gone since it was listed
    if (!inventory) return fail(std::move(inventory).error());
    ++report.sessions;
    search.begin_file();
    for (const Artifact& artifact : inventory->artifacts)
      if (artifact.kind == ArtifactKind::other) search.take_file(artifact, session.place);
    HF_CHECK(each_line(
        *source_on_disk(home, session.place), inventory->artifacts, "drift",
        [&](const Artifact& artifact, const jsonl::Line& line) -> Result<void> {
          if (line.number == 1) search.begin_file();
          search.take(artifact, line);
          return {};
        },
        progress));
  }
  return report;
}

}  // namespace holdfast::transcripts
