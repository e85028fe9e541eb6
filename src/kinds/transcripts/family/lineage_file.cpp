#include "base/crypto/hash.h"
#include "base/files/file.h"
#include "kinds/transcripts/family/lineage.h"
#include "kinds/transcripts/family/lineage_events.h"
#include "session/limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

namespace holdfast::transcripts {
namespace {

using session::LineageEvent;
using session::Transaction;

constexpr std::string_view kSchemaVersion = "1.0";
constexpr std::size_t kMaxLineageFileBytes = 64 * 1024 * 1024;  // a hundred thousand clones; the original keeps one file for all
constexpr std::size_t kIdsPerPage = 1000;

// The version of the original that wrote first, and the one that continued.
constexpr std::array kPlaces = {"/.claude-session-mcp/lineage.json", "/.claude-workspace/claude-session/lineage.json"};

// nullopt: not an entry we understand. One such is passed over: the family of the others is worth more than the complaint.
std::optional<LineageEvent> event_of(std::string_view key, const Json& value) {
  const JsonObject* entry = value.if_object();
  if (!entry) return std::nullopt;
  LineageEvent event;
  event.child = find_string(*entry, "child_session_id").value_or(key);
  event.parent = find_string(*entry, "parent_session_id").value_or("");
  event.how = find_string(*entry, "method").value_or("");
  const bool fits = event.child.size() <= session::kMaxIdBytes && event.parent.size() <= session::kMaxIdBytes;
  if (event.child.empty() || !fits || !is_copy(event)) return std::nullopt;
  const std::string_view cloned_at = find_string(*entry, kClonedAt).value_or("");
  event.when = parse_time(cloned_at).value_or(0);
  for (const std::string_view name :
       {kClonedAt, kParentProject, kParentMachine, kTargetProject, kTargetMachine, kPathsTranslated, kArchivePath}) {
    if (const Json* detail = find(*entry, name)) event.details[name] = *detail;
  }
  return event;
}

Result<bool> is_known(Transaction& transaction, const LineageEvent& event) {
  HF_TRY(const auto events, transaction.lineage_of(event.child));
  return std::ranges::any_of(events, [&](const LineageEvent& known) {
    return known.child == event.child && known.parent == event.parent && known.how == event.how;
  });
}

JsonObject entry_of(const LineageEvent& event) {
  const auto text_or_null = [&](std::string_view name) {
    const std::string text = detail(event, name);
    return text.empty() ? Json(nullptr) : Json(text);
  };
  return {{"child_session_id", event.child},
          {"parent_session_id", event.parent},
          {kClonedAt, copied_at(event)},
          {"method", event.how},
          {kParentProject, detail(event, kParentProject)},
          {kParentMachine, text_or_null(kParentMachine)},
          {kTargetProject, detail(event, kTargetProject)},
          {kTargetMachine, detail(event, kTargetMachine)},
          {kPathsTranslated, find_bool(event.details, kPathsTranslated).value_or(false)},
          {kArchivePath, text_or_null(kArchivePath)}};
}

Result<std::vector<std::string>> all_copies(session::Store& store) {
  std::vector<std::string> ids;
  while (true) {
    HF_TRY(const auto page, store.values({std::string(kCopiesSpace), "", ids.empty() ? "" : ids.back(), kIdsPerPage}));
    for (const session::KeyedValue& value : page) ids.push_back(value.key);
    if (page.size() < kIdsPerPage) return ids;
  }
}

}  // namespace

Result<std::size_t> import_lineage(session::Store& store, const std::string& path) {
  HF_TRY(const std::string text, read_file(path, kMaxLineageFileBytes));
  const std::string hash = to_hex(sha256(text));
  HF_TRY(const auto imported, store.value(kImportsSpace, hash));
  if (imported) return 0;

  auto parsed = parse_json(text);
  if (!parsed) return fail(std::move(parsed).error().within(path));
  const JsonObject* file = parsed->if_object();
  const JsonObject* sessions = file ? find_object(*file, "sessions") : nullptr;
  if (!sessions || find_string(*file, "schema_version") != kSchemaVersion) {
    return fail(ErrorKind::invalid, fmt::format("{} is not a lineage file of schema {}", path, kSchemaVersion),
                "The file must be an object with schema_version \"1.0\" and sessions.");
  }
  return store.write([&](Transaction& transaction) -> Result<std::size_t> {
    std::size_t added = 0;
    for (const auto& [key, value] : *sessions) {
      const auto event = event_of(key, value);
      if (!event) continue;
      HF_TRY(const bool known, is_known(transaction, *event));
      if (known) continue;
      HF_CHECK(add_copy(transaction, *event));
      ++added;
    }
    HF_CHECK(transaction.put(kImportsSpace, hash, JsonObject{{"path", path}, {"added", added}}));
    return added;
  });
}

std::optional<std::string> import_original_lineage(session::Store& store, const std::string& home_folder) {
  std::string warning;
  for (const char* place : kPlaces) {
    const auto added = import_lineage(store, home_folder + place);
    if (added || added.error().kind == ErrorKind::not_found) continue;
    warning += (warning.empty() ? "" : "; ") + added.error().message;
  }
  if (warning.empty()) return std::nullopt;
  return "the lineage of claude-session was not imported: " + warning;
}

Result<JsonObject> export_lineage(session::Store& store, const std::vector<std::string>& session_ids) {
  std::vector<std::string> wanted = session_ids;
  if (wanted.empty()) {
    HF_TRY(wanted, all_copies(store));
  }
  std::map<std::string, JsonObject> entries;
  std::set<std::string> seen;
  for (const std::string& id : wanted) {
    if (seen.contains(id)) continue;
    HF_TRY(const auto events, store.lineage_tree(id));
    for (const LineageEvent& event : events) {
      seen.insert(event.child);
      if (is_copy(event)) entries[event.child] = entry_of(event);
    }
  }
  JsonObject sessions;
  for (auto& [id, entry] : entries) sessions[id] = std::move(entry);
  return JsonObject{{"schema_version", kSchemaVersion}, {"sessions", std::move(sessions)}};
}

}  // namespace holdfast::transcripts
