// The kind `transcript` of the session tool. Its sessions are files of another program: they are found and summarised anew for
// every call, and what would change them is left to the tools that make a backup first.

#include "base/text/uri.h"
#include "kinds/transcripts/guard/laid_out.h"
#include "kinds/transcripts/home/running.h"
#include "kinds/transcripts/reading/session_info.h"
#include "kinds/transcripts/verbs/backups.h"
#include "kinds/transcripts/verbs/verify.h"
#include "session/kinds.h"
#include "tools/session/list_filters.h"
#include "tools/session/session_arguments.h"
#include "tools/transcripts/transcript_call.h"

#include <fcntl.h>

#include <algorithm>
#include <set>

namespace holdfast::tools {

namespace {

using session::SessionRecord;
using transcripts::Keeper;

void set_root(SessionRecord& record, const std::string& project_path) {
  auto root = canonical_root(project_path);
  if (!root) return;
  record.root_uri = *root;
  record.root_name = root_display_name(*root);
}

SessionRecord to_record(const Keeper& keeper, const transcripts::SessionLine& line, bool running) {
  const transcripts::AnySession& session = line.session;
  SessionRecord record;
  record.id = session.id();
  record.kind = session::kTranscript;
  record.title = line.title;
  record.status = running ? "running" : "idle";
  set_root(record, line.project_path);
  record.created_at = line.first_time;
  record.updated_at = session.mtime();
  record.data = {{"product", session.product()},
                 {"file", keeper.homes().of(session).absolute(session.path())},
                 {"size_bytes", session.size()},
                 {"resume_command", resume_command(line)}};
  return record;
}

// Of a session whose files are gone, from its backup.
std::optional<SessionRecord> to_record(const transcripts::KeptBackup& backup) {
  Fd file(::open(backup.path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return std::nullopt;
  auto reader = transcripts::ArchiveReader::open(std::move(file));
  if (!reader) return std::nullopt;
  SessionRecord record;
  record.id = backup.session_id;
  record.kind = session::kTranscript;
  record.title = reader->header().custom_title;
  record.status = "kept";
  set_root(record, reader->header().original_project_path);
  record.updated_at = backup.made_at;
  record.data = {{"product", reader->header().product},
                 {"file", backup.path},
                 {"restore_command", "holdfast restore --in-place " + transcripts::shell_quoted(backup.path)}};
  return record;
}

// Of a session that only the guard has.
Result<SessionRecord> to_record(const transcripts::KeptSession& kept, transcripts::KeptHome& home) {
  HF_TRY(const transcripts::SessionLine line, home.line_of(kept));
  SessionRecord record;
  record.id = kept.id;
  record.kind = session::kTranscript;
  record.title = line.title;
  record.status = "kept";
  set_root(record, line.project_path);
  record.created_at = line.first_time;
  record.updated_at = kept.transcript.modified_at;
  record.data = {{"product", line.session.product()},
                 {"file", "guard:" + kept.id},
                 {"size_bytes", kept.transcript.size},
                 {"restore_command", transcripts::restore_command(line.session)}};
  return record;
}

Result<transcripts::KeptHome> home_for_kept(const Keeper& keeper, session::Blobs& guard) {
  HF_TRY(const std::string folder, keeper.temporary_folder());
  return transcripts::KeptHome::make(folder, guard);
}

// Of a session that only the guard has; not_found when it is elsewhere.
Result<transcripts::LaidOut> lay_out_kept(const Keeper& keeper, const std::string& id) {
  HF_TRY(session::Blobs* const guard, keeper.guard());
  if (!guard) return fail(ErrorKind::not_found, "there is no guard");
  HF_TRY(const auto kept, transcripts::find_kept_session(*guard, id));
  return transcripts::lay_out(keeper, kept);
}

// The newer copy when the guard and the backups have one. `not_found` is what the homes said.
Result<SessionRecord> find_copy(const Keeper& keeper, std::string_view id, Error not_found) {
  const auto backup = transcripts::find_backup(keeper.backup_folder(), id);
  HF_TRY(session::Blobs* const guard, keeper.guard());
  const auto kept =
      guard ? transcripts::find_kept_session(*guard, id) : Result<transcripts::KeptSession>(fail(ErrorKind::not_found, ""));
  if (kept && (!backup || kept->transcript.kept_at > backup->made_at)) {
    HF_TRY(auto home, home_for_kept(keeper, *guard));
    return to_record(*kept, home);
  }
  if (backup) {
    if (auto record = to_record(*backup)) return std::move(*record);
  }
  return fail(std::move(not_found));
}

// What was written last comes first; `seen` are ids that are listed already.
Result<std::vector<SessionRecord>> kept_records(const Keeper& keeper, const std::set<std::string>& seen, std::size_t limit) {
  std::vector<SessionRecord> records;
  HF_TRY(session::Blobs* const guard, keeper.guard());
  if (!guard) return records;
  HF_TRY(const auto gone, transcripts::gone_sessions(keeper.homes(), *guard));
  if (gone.empty()) return records;
  HF_TRY(auto home, home_for_kept(keeper, *guard));
  for (const transcripts::KeptSession& kept : gone) {
    if (records.size() == limit) break;
    if (seen.contains(kept.id)) continue;
    if (auto record = to_record(kept, home)) records.push_back(*std::move(record));
  }
  return records;
}

Result<std::set<std::string>> running_ids(const Keeper& keeper) {
  HF_TRY(const auto clients, transcripts::live_clients(keeper.homes().claude));
  std::set<std::string> ids;
  for (const auto& client : clients) ids.insert(client.session_id);
  return ids;
}

bool in_use(const Keeper& keeper, const std::set<std::string>& running, const transcripts::AnySession& session) {
  return running.contains(session.id()) || transcripts::is_recently_written(session.mtime(), keeper.now());
}

Result<SessionRecord> find_transcript(const Keeper& keeper, const SessionCall& call, std::string_view id) {
  HF_CHECK(check_owner(call.call.caller()));
  auto session = keeper.homes().find(id);
  if (!session) {
    if (session.error().kind == ErrorKind::ambiguous) return fail(std::move(session).error());
    return find_copy(keeper, id, std::move(session).error());
  }
  HF_TRY(const auto line, keeper.homes().line_of(*session));
  HF_TRY(const auto running, running_ids(keeper));
  return to_record(keeper, line, in_use(keeper, running, *session));
}

// Arguments that ask for what transcripts do not have; nothing can fit them.
bool asks_for_more(const JsonObject& arguments) {
  return arguments.contains("tags") || arguments.contains("project") || find_bool(arguments, "pinned").value_or(false);
}

bool fits(const JsonObject& arguments, const std::vector<std::string>& statuses, const SessionRecord& record) {
  if (!statuses.empty() && std::ranges::find(statuses, record.status) == statuses.end()) return false;
  const std::string_view wanted = find_string(arguments, "q").value_or("");
  return wanted.empty() || record.title.find(wanted) != std::string::npos;
}

Result<OutsideKind::List> list_transcripts(const Keeper& keeper, const SessionCall& call, std::size_t limit) {
  OutsideKind::List list;
  const JsonObject& arguments = call.arguments();
  if (!check_owner(call.call.caller()) || asks_for_more(arguments)) return list;
  std::optional<std::string> project;
  std::string root_uri;
  if (!find_bool(arguments, "allRoots").value_or(false)) {
    HF_TRY(const ResolvedRoots resolved, call.root.known(call.call));
    if (const auto root = resolved.one()) {
      root_uri = *root;
      if (auto path = path_of_file_uri(*root)) project = std::move(*path);
    }
  }
  const std::vector<std::string> statuses = texts_of(arguments, "status");
  const bool filtered = !statuses.empty() || arguments.contains("q");
  HF_TRY(const auto lines, keeper.homes().list(project, filtered ? kMaxList : limit));
  HF_TRY(const auto running, running_ids(keeper));
  std::set<std::string> on_disk;
  for (const auto& line : lines.sessions) {
    on_disk.insert(line.session.id());
    SessionRecord record = to_record(keeper, line, in_use(keeper, running, line.session));
    if (fits(arguments, statuses, record)) list.records.push_back(std::move(record));
  }
  list.total = static_cast<std::int64_t>(filtered ? list.records.size() : lines.total);
  HF_TRY(const auto backups, transcripts::newest_backups(keeper.backup_folder()));
  for (const transcripts::KeptBackup& backup : backups) {
    // Those beyond the page were not summarised, but exist all the same.
    if (on_disk.contains(backup.session_id) || keeper.homes().find(backup.session_id)) continue;
    auto record = to_record(backup);
    if (!record || (!root_uri.empty() && record->root_uri != root_uri) || !fits(arguments, statuses, *record)) continue;
    ++list.total;
    on_disk.insert(record->id);
    list.records.push_back(std::move(*record));
  }
  HF_TRY(auto kept, kept_records(keeper, on_disk, kMaxList));
  for (SessionRecord& record : kept) {
    if ((!root_uri.empty() && record.root_uri != root_uri) || !fits(arguments, statuses, record)) continue;
    ++list.total;
    list.records.push_back(std::move(record));
  }
  std::sort(list.records.begin(), list.records.end(),
            [](const SessionRecord& a, const SessionRecord& b) { return a.updated_at > b.updated_at; });
  if (list.records.size() > limit) list.records.resize(limit);
  return list;
}

Result<SessionAnswer> answer_list(const Keeper& keeper, SessionCall& call) {
  HF_CHECK(check_owner(call.call.caller()));
  const JsonObject& arguments = call.arguments();
  if (arguments.contains("cursor"))
    return fail(ErrorKind::invalid, "transcripts have no cursor", "use offset", "invalid_argument");
  const auto offset = static_cast<std::size_t>(std::max<std::int64_t>(0, find_int(arguments, "offset").value_or(0)));
  HF_TRY(const std::size_t limit, limit_of(arguments, kListLimit, kMaxList));
  HF_TRY(const auto list, list_transcripts(keeper, call, offset + limit));
  JsonArray sessions;
  for (std::size_t i = offset; i < list.records.size(); ++i) sessions.push_back(call.operations.item(list.records[i], call.now));
  const std::size_t count = sessions.size();
  const bool more = static_cast<std::int64_t>(offset + count) < list.total;
  return SessionAnswer{
      {{"sessions", std::move(sessions)}, {"count", count}, {"total", list.total}, {"hasMore", more}}, {}, false};
}

Result<SessionAnswer> answer_get(const Keeper& keeper, SessionCall& call) {
  JsonObject state{{"session", call.operations.item(*call.record, call.now)}};
  auto session = keeper.homes().find(call.record->id);
  if (session) {
    HF_TRY(const auto info, describe_session(keeper, *session));
    state["transcript"] = to_json(info);
  } else if (auto files = lay_out_kept(keeper, call.record->id)) {
    HF_TRY(auto info, describe_session(*files->keeper, files->session));
    mark_as_kept(info);
    state["transcript"] = to_json(info);
  }
  return SessionAnswer{std::move(state), {}, false};
}

Result<SessionAnswer> answer_verify(const Keeper& keeper, SessionCall& call) {
  const auto verify = [&](const Keeper& at, const transcripts::AnySession& session) -> Result<transcripts::VerifyReport> {
    HF_TRY(const auto inventory, at.homes().inventory(session));
    return verify_session(at.homes().of(session), inventory);
  };
  const auto session = keeper.homes().find(call.record->id);
  Result<transcripts::LaidOut> files = session ? transcripts::LaidOut{} : lay_out_kept(keeper, call.record->id);
  if (!session && !files) return fail(session.error());
  HF_TRY(const auto report, session ? verify(keeper, *session) : verify(*files->keeper, files->session));
  JsonObject state = to_json(report);
  state["sessionId"] = call.record->id;
  return SessionAnswer{std::move(state), {}, false};
}

Result<SessionAnswer> refuse_delete(SessionCall&) {
  return fail(ErrorKind::refused, "a transcript belongs to the client that wrote it, and is not deleted here",
              "use the tool delete_session: it makes a backup first");
}

}  // namespace

void add_transcript_kind(SessionOperations& operations, const Keeper& keeper) {
  using enum SessionOperation::Session;
  const std::string kind(session::kTranscript);
  operations.add_outside(
      {kind, [&keeper](const SessionCall& call, std::string_view id) { return find_transcript(keeper, call, id); },
       [&keeper](const SessionCall& call, std::size_t limit) { return list_transcripts(keeper, call, limit); }});
  operations.add({"list", kind, none, [&keeper](SessionCall& call) { return answer_list(keeper, call); }});
  operations.add({"get", kind, required, [&keeper](SessionCall& call) { return answer_get(keeper, call); }});
  operations.add({"verify", kind, required, [&keeper](SessionCall& call) { return answer_verify(keeper, call); }});
  operations.add({"delete", kind, required, refuse_delete});
  operations.add_item_fields(kind, [](const SessionRecord& record, JsonObject& item) {
    for (const auto& member : record.data) item[member.key()] = member.value();
    item.erase("entry_count");
    item.erase("rev");
    item["deletable"] = false;
  });
}

}  // namespace holdfast::tools
