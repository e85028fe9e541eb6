#include "kinds/transcripts/family/lineage.h"

#include "base/run/process.h"
#include "base/text/text.h"
#include "kinds/transcripts/family/lineage_events.h"
#include "kinds/transcripts/home/kind_counts.h"

#include <fmt/format.h>

#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>

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

}  // namespace holdfast::transcripts
