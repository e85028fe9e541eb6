// The kind `transcript` of the session tool. Its sessions are files of another program: they are found and summarised anew for
// every call, and what would change them is left to the tools that make a backup first.

#include "base/text/uri.h"
#include "catalogue/files.h"
#include "kinds/transcripts/home/running.h"
#include "session/kinds.h"
#include "tools/call_context.h"
#include "tools/session/list_filters.h"
#include "tools/session/session_arguments.h"

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

using transcripts::Activity;

// `line`: what a list shows of it.
SessionRecord to_record(const Keeper& keeper, const catalogue::Found& found, const transcripts::SessionLine& line,
                        const Activity& activity) {
  const transcripts::AnySession& session = line.session;
  SessionRecord record;
  record.id = found.id();
  record.kind = session::kTranscript;
  record.title = line.title;
  record.status = found.is_kept() ? "kept" : activity.of(session.id(), session.mtime()).word();
  set_root(record, line.project_path);
  record.created_at = line.first_time;
  record.updated_at = session.mtime();
  record.data = {{"product", session.product()}};
  if (const auto* backup = found.in_backup()) {
    record.data["file"] = backup->path;
    record.data["restore_command"] = "holdfast restore --in-place " + transcripts::shell_quoted(backup->path);
    return record;
  }
  record.data["size_bytes"] = session.size();
  if (found.in_guard()) {
    record.data["file"] = "guard:" + found.id();
    record.data["restore_command"] = transcripts::restore_command(session);
  } else {
    record.data["file"] = keeper.homes().of(session).absolute(session.path());
    record.data["resume_command"] = resume_command(line);
  }
  return record;
}

Result<SessionRecord> record_of(const Keeper& keeper, const catalogue::Found& found) {
  HF_TRY(const auto line, catalogue::line_of(keeper, nullptr, found));
  HF_TRY(const auto activity, Activity::read(keeper.homes().claude, keeper.now()));
  return to_record(keeper, found, line, activity);
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
  HF_TRY(const auto activity, Activity::read(keeper.homes().claude, keeper.now()));
  std::set<std::string> seen;
  for (const auto& line : lines.sessions) {
    seen.insert(line.session.id());
    SessionRecord record = to_record(keeper, {line.session}, line, activity);
    if (fits(arguments, statuses, record)) list.records.push_back(std::move(record));
  }
  list.total = static_cast<std::int64_t>(filtered ? list.records.size() : lines.total);
  transcripts::KeptLines kept(keeper);
  const auto add_kept = [&](const catalogue::Found& found) {
    // What cannot be read is not listed; guard verify tells of it.
    const auto line = catalogue::line_of(keeper, &kept, found);
    if (!line) return;
    SessionRecord record = to_record(keeper, found, *line, activity);
    if ((!root_uri.empty() && record.root_uri != root_uri) || !fits(arguments, statuses, record)) return;
    ++list.total;
    seen.insert(record.id);
    list.records.push_back(std::move(record));
  };
  HF_TRY(const auto backups, transcripts::newest_backups(keeper.backup_folder()));
  for (const transcripts::KeptBackup& backup : backups)
    // Those beyond the page were not summarised, but exist all the same.
    if (!seen.contains(backup.session_id) && !keeper.homes().find(backup.session_id)) add_kept({backup});
  HF_TRY(session::Blobs* const guard, keeper.guard());
  std::vector<transcripts::KeptSession> gone;
  if (guard) {
    HF_TRY(gone, transcripts::gone_sessions(keeper.homes(), *guard));
  }
  for (std::size_t i = 0, added = 0; i < gone.size() && added < static_cast<std::size_t>(kMaxList); ++i) {
    if (seen.contains(gone[i].id)) continue;
    add_kept({gone[i]});
    ++added;
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
  HF_TRY(const auto info, catalogue::describe(keeper, *call.found));
  return SessionAnswer{{{"session", call.operations.item(*call.record, call.now)}, {"transcript", to_json(info)}}, {}, false};
}

Result<SessionAnswer> answer_verify(const Keeper& keeper, SessionCall& call) {
  HF_TRY(const auto report, catalogue::verify(keeper, *call.found));
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
      {kind, [&keeper](const mcp::Caller& caller) { return check_owner(caller) ? &keeper : nullptr; },
       [&keeper](const catalogue::Found& found) { return record_of(keeper, found); },
       [&keeper](const SessionCall& call, std::size_t limit) { return list_transcripts(keeper, call, limit); }});
  operations.add({"list", kind, none, [&keeper](SessionCall& call) { return answer_list(keeper, call); }});
  operations.add({"get", kind, required, [&keeper](SessionCall& call) { return answer_get(keeper, call); }});
  operations.add({"verify", kind, required, [&keeper](SessionCall& call) { return answer_verify(keeper, call); }});
  operations.add({"delete", kind, required, refuse_delete});
}

}  // namespace holdfast::tools
