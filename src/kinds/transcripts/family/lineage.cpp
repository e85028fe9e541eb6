#include "kinds/transcripts/family/lineage.h"

#include "base/crypto/hash.h"
#include "base/files/file.h"
#include "base/run/process.h"
#include "base/text/text.h"
#include "kinds/transcripts/family/lineage_events.h"
#include "kinds/transcripts/home/inventory.h"
#include "session/limits.h"

#include <fmt/format.h>

#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <set>

namespace holdfast::transcripts {

namespace {

using session::LineageEvent;
using session::Transaction;

std::string user_name() {
  for (const char* variable : {"LOGNAME", "USER"})
    if (const char* name = std::getenv(variable); name && *name) return name;
  std::array<char, 4096> memory;
  passwd entry{};
  passwd* found = nullptr;
  if (::getpwuid_r(::geteuid(), &entry, memory.data(), memory.size(), &found) == 0 && found) return found->pw_name;
  return "unknown";
}

// "gist://<id>" names the gist; the id alone is what its owner looks for.
void note_origin(JsonObject& details, const std::string& where) {
  constexpr std::string_view kGist = "gist://";
  if (where.starts_with(kGist)) details["gist_id"] = where.substr(kGist.size());
}

void note_time(JsonObject& details, const std::string& transcript) {
  struct stat status{};
  if (!transcript.empty() && ::stat(transcript.c_str(), &status) == 0) details[kWrittenAt] = mtime_of(status);
}

Result<void> remember_archive(Transaction& transaction, const std::string& sha256, const std::string& session_id,
                              const std::string& where, Millis when) {
  if (sha256.empty()) return {};
  const JsonObject value{{"session_id", session_id}, {"where", where}, {"archived_at", iso8601(when)}};
  HF_CHECK(transaction.put(kArchivesSpace, sha256, value));
  return {};
}

using PathPairs = std::vector<std::pair<std::string, std::string>>;

JsonArray pairs_in_json(const PathPairs& maps) {
  JsonArray out;
  for (const auto& [from, to] : maps) out.push_back(JsonArray{from, to});
  return out;
}

PathPairs maps_of(const JsonObject& details) {
  PathPairs maps;
  const JsonArray* const pairs = find_array(details, kMaps);
  for (const Json& pair : pairs ? *pairs : JsonArray{})
    if (pair.is_array() && pair.get_array().size() == 2 && pair.at(0).is_string() && pair.at(1).is_string())
      maps.emplace_back(view(pair.at(0).get_string()), view(pair.at(1).get_string()));
  return maps;
}

Result<void> add_event(Transaction& transaction, LineageEvent event) {
  HF_CHECK(transaction.put(kSessionsSpace, event.child, nullptr));
  if (!event.parent.empty()) HF_CHECK(transaction.put(kSessionsSpace, event.parent, nullptr));
  HF_CHECK(transaction.add_lineage(std::move(event)));
  return {};
}

}  // namespace

Result<void> add_copy(Transaction& transaction, LineageEvent event) {
  HF_CHECK(transaction.put(kCopiesSpace, event.child, Json(event.parent)));
  return add_event(transaction, std::move(event));
}

std::string machine_id() {
  const std::string host = host_name();
  return user_name() + "@" + (host.empty() ? "unknown" : host);
}

Result<void> record_copy(session::Store& store, const CopyResult& result, std::string_view how, const std::string& parent_project,
                         const ArchiveOrigin& origin) {
  if (result.was_dry_run) return {};
  LineageEvent event;
  event.child = result.new_session_id;
  if (result.new_session_id != result.original_session_id) event.parent = result.original_session_id;
  event.how = how;
  event.when = result.restored_at;
  event.details = {{kParentProject, parent_project},
                   {kParentMachine, text_or_null(result.source_machine_id)},
                   {kTargetProject, result.project_path},
                   {kTargetMachine, machine_id()},
                   {kPathsTranslated, result.paths_translated},
                   {kArchivePath, text_or_null(origin.path)},
                   {kTitle, text_or_null(result.custom_title)}};
  if (!origin.sha256.empty()) event.details[kArchiveHash] = origin.sha256;
  note_origin(event.details, origin.path);
  note_time(event.details, result.main_session_file);
  return store.write(
      [&](Transaction& transaction) { return is_copy(event) ? add_copy(transaction, event) : add_event(transaction, event); });
}

Result<void> record_move(session::Store& store, const MoveResult& result) {
  if (result.was_dry_run) return {};
  LineageEvent event;
  event.child = result.session_id;
  event.how = "move";
  event.when = result.moved_at;
  event.details = {{"source_project_path", result.source_project},
                   {kTargetProject, result.target_project},
                   {kTargetMachine, machine_id()},
                   {kPathsTranslated, result.paths_translated},
                   {"backup_path", text_or_null(result.backup_path)},
                   {kBackupHash, text_or_null(result.backup_sha256)},
                   {kTitle, text_or_null(result.custom_title)},
                   {kMaps, pairs_in_json(result.maps)}};
  note_time(event.details, result.main_session_file);
  return store.write([&](Transaction& transaction) -> Result<void> {
    HF_CHECK(remember_archive(transaction, result.backup_sha256, result.session_id, result.backup_path, result.moved_at));
    return add_event(transaction, event);
  });
}

Result<void> record_erase(session::Store& store, const EraseResult& result) {
  if (result.was_dry_run) return {};
  LineageEvent event;
  event.child = result.session_id;
  event.how = "delete";
  event.when = result.deleted_at;
  event.details = {{"project_path", text_or_null(result.project_path)},
                   {kTargetMachine, machine_id()},
                   {"backup_path", text_or_null(result.backup_path)},
                   {kTitle, text_or_null(result.custom_title)}};
  return store.write([&](Transaction& transaction) -> Result<void> {
    HF_CHECK(remember_archive(transaction, result.backup_sha256, result.session_id, result.backup_path, result.deleted_at));
    return add_event(transaction, event);
  });
}

Result<void> record_archive(session::Store& store, const ArchiveReport& report, const std::string& where) {
  LineageEvent event;
  event.child = report.header.session_id;
  event.how = "archive";
  event.when = parse_time(report.header.archived_at).value_or(0);
  event.details = {{kArchivePath, where},          {kArchiveHash, report.sha256},
                   {"size", report.size},          {"project_path", text_or_null(report.header.original_project_path)},
                   {kTargetMachine, machine_id()}, {kTitle, text_or_null(report.header.custom_title)}};
  note_origin(event.details, where);
  return store.write([&](Transaction& transaction) -> Result<void> {
    HF_CHECK(remember_archive(transaction, report.sha256, event.child, where, event.when ? event.when : transaction.now()));
    return add_event(transaction, event);
  });
}

Result<std::optional<RecordedMove>> move_with_backup(session::Store& store, std::string_view session_id,
                                                     std::string_view sha256) {
  HF_TRY(const auto events, store.lineage_of(session_id));
  for (const LineageEvent& event : events) {
    if (event.child != session_id || event.how != "move" || sha256.empty() || detail(event, kBackupHash) != sha256) continue;
    RecordedMove move;
    move.paths_translated = find_bool(event.details, kPathsTranslated).value_or(false);
    move.maps = maps_of(event.details);
    return move;
  }
  return std::nullopt;
}

Result<bool> was_restored(session::Store& store, std::string_view session_id, std::string_view sha256) {
  HF_TRY(const auto events, store.lineage_of(session_id));
  return std::ranges::any_of(events, [&](const LineageEvent& event) {
    return event.child == session_id && event.how == "in-place" && detail(event, kArchiveHash) == sha256;
  });
}

Result<std::optional<LineageEvent>> last_delete(session::Store& store, std::string_view session_id) {
  HF_TRY(const auto events, store.lineage_of(session_id));
  std::optional<LineageEvent> last;
  for (const LineageEvent& event : events)
    if (event.child == session_id && event.how == "delete") last = event;
  return last;
}

Result<bool> wrote_archive(session::Store& store, std::string_view sha256) {
  if (sha256.empty()) return false;
  HF_TRY(const auto value, store.value(kArchivesSpace, sha256));
  return value.has_value();
}

Result<std::string> remembered_id(session::Store& store, std::string_view prefix) {
  constexpr std::size_t kShown = 10;
  HF_TRY(const auto found, store.values({std::string(kSessionsSpace), to_ascii_lower(prefix), "", kShown}));
  if (found.size() == 1) return found.front().key;
  if (found.empty()) return fail(ErrorKind::not_found, fmt::format("nothing is known about a session {}", prefix));
  std::string ids;
  for (const session::KeyedValue& value : found) ids += (ids.empty() ? "" : "\n") + value.key;
  return fail(ErrorKind::ambiguous, fmt::format("{} fits several sessions whose files are gone", prefix), std::move(ids));
}

Result<bool> made_by_us(session::Store& store, std::string_view session_id) {
  HF_TRY(const auto events, store.lineage_of(session_id));
  for (const LineageEvent& event : events)
    if (event.child == session_id && is_copy(event)) return true;
  return false;
}

Result<bool> is_as_we_wrote_it(session::Store& store, std::string_view session_id, Millis written) {
  HF_TRY(const auto events, store.lineage_of(session_id));
  for (const LineageEvent& event : events)
    if (event.child == session_id && find_int(event.details, kWrittenAt) == written) return true;
  return false;
}

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
