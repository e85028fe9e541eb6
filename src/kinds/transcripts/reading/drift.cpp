#include "kinds/transcripts/reading/drift.h"

#include "base/ids.h"
#include "base/text/text.h"
#include "jsonl/scan.h"
#include "jsonl/spelling.h"
#include "kinds/transcripts/lines/each_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_map>
#include <unordered_set>

namespace holdfast::transcripts {

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
        home, inventory->artifacts, "drift",
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
