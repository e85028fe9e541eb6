#include "kinds/runner/run.h"

#include "base/ids.h"
#include "base/run/log.h"
#include "base/text/text.h"
#include "kinds/runner/run_work.h"
#include "session/kinds.h"
#include "session/limits.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::runner {

namespace {

using session::Transaction;

std::string lease_name(std::string_view id) {
  return fmt::format("run/{}", id);
}

Result<session::SessionRecord> find_run(session::Reader& reader, std::string_view id) {
  HF_TRY(session::SessionRecord record, reader.get(id));
  if (record.kind != session::kRun || record.visibility == session::Visibility::deleted)
    return fail(ErrorKind::not_found, fmt::format("there is no run {}", id), "session with type run lists them");
  return record;
}

// As it is seen from here; what is no name of a folder is judged when its task begins.
std::string pinned(std::string folder, const PathRules& rules) {
  auto absolute = absolute_folder(folder, rules);
  return absolute ? *std::move(absolute) : folder;
}

Error is_over(std::string_view id, std::string_view status) {
  return make_error(ErrorKind::refused, fmt::format("run {} is over: {}", id, status), "start another one", "over");
}

ServersFile servers_file_of(const session::SessionRecord& record) {
  return {std::string(find_string(record.data, kServersFile).value_or("")),
          find_bool(record.data, kServersOfProject).value_or(true)};
}

std::string_view status_of(const std::vector<TaskResult>& results) {
  return std::ranges::any_of(results, [](const TaskResult& each) { return each.status == "ok"; }) ? "completed" : "failed";
}

}  // namespace

JsonObject report_json(const RunReport& report) {
  JsonArray results, texts;
  for (const TaskResult& result : report.results) {
    results.emplace_back(result_json(result));
    texts.emplace_back(result.error ? fmt::format("Error: {}", result.error->message) : result.text);
  }
  JsonObject object{
      {"run_id", report.id}, {"status", report.status}, {"results", std::move(results)}, {"texts", std::move(texts)}};
  if (!report.problems.empty()) object["problems"] = to_json_array(report.problems);
  if (!report.interruption.empty()) object["interrupted"] = report.interruption;
  return object;
}

Result<std::string> Runs::begin(RunRequest request, const Who& who) {
  // A name nobody knows is found out before anything is kept.
  HF_TRY(const ServerList servers, settings_.servers({}));
  HF_CHECK(choose_servers(servers, request.servers));
  // Whoever goes on with it may stand in another folder.
  PathRules rules = settings_.paths;
  if (!request.initial_folders) request.initial_folders = {rules.base};
  for (std::string& folder : *request.initial_folders) folder = pinned(std::move(folder), rules);
  rules.base = request.initial_folders->front();
  for (RunTask& task : request.tasks)
    if (task.folders)
      for (std::string& folder : *task.folders) folder = pinned(std::move(folder), rules);
  const std::string text = holdfast::to_json(request_json(request));
  if (text.size() > session::kMaxTextBytes)
    return fail(ErrorKind::too_large, "the tasks together are too long", "split them into several runs");
  session::SessionRecord record;
  record.id = make_uuid7();
  record.kind = session::kRun;
  record.status = "running";
  record.title = shorten(request.tasks.front().text, kTaskNameCharacters);
  record.opening = shorten(request.tasks.front().text, session::kMaxOpeningBytes / 4);
  record.principal = who.principal;
  record.client = who.client;
  record.root_uri = who.root_uri;
  record.data = {{kTaskCount, static_cast<std::int64_t>(request.tasks.size())},
                 {kServersFile, servers.file.path},
                 {kServersOfProject, servers.file.from_project}};
  return store_.write([&](Transaction& transaction) -> Result<std::string> {
    HF_TRY(const session::SessionRecord created, transaction.create(record));
    session::NewEntry entry;
    entry.type = "request";
    entry.text = fmt::format("{} tasks", request.tasks.size());
    entry.data = text;
    HF_CHECK(transaction.append(created.id, std::move(entry)));
    return created.id;
  });
}

Result<RunReport> read_report(session::Reader& reader, std::string_view id) {
  HF_TRY(const session::SessionRecord record, find_run(reader, id));
  HF_TRY(RunState state, read_run(reader, id));
  RunReport report;
  report.id = record.id;
  HF_TRY(report.status, run_status(reader, record));
  report.results = std::move(state.results);
  report.problems = std::move(state.problems);
  if (report.status == "interrupted") report.interruption = find_string(record.data, kInterruption).value_or("");
  return report;
}

Result<ServersFile> servers_of(session::Reader& reader, std::string_view id) {
  HF_TRY(const session::SessionRecord record, find_run(reader, id));
  return servers_file_of(record);
}

Result<std::string> run_status(session::Reader& reader, const session::SessionRecord& record) {
  if (record.status != "running") return record.status;
  HF_TRY(const auto lease, reader.lease(lease_name(record.id)));
  return std::string(lease && !session::is_over(*lease, session::lease_time_now()) ? "running" : "interrupted");
}

Result<void> Runs::amend(std::string_view id, const Changes& changes) {
  HF_TRY(RunState state, read_run(store_, id));
  RunRequest& request = state.request;
  request.limits.take_over(changes.limits);
  if (!changes.servers.empty()) request.servers = changes.servers;
  request.stop_on_error = request.stop_on_error || changes.stop_on_error;
  std::optional<ServersFile> file;
  if (changes.servers_file) {
    HF_TRY(const ServerList servers, settings_.servers({}));
    HF_CHECK(choose_servers(servers, request.servers));
    file = servers.file;
  }
  return store_.write([&](Transaction& transaction) -> Result<void> {
    HF_TRY(session::SessionRecord record, find_run(transaction, id));
    if (record.status != "running") return fail(is_over(id, record.status));
    HF_TRY(const std::string status, run_status(transaction, record));
    if (status == "running") return fail(ErrorKind::conflict, fmt::format("run {} is being worked on by another process", id));
    if (file) {
      record.data[kServersFile] = file->path;
      record.data[kServersOfProject] = file->from_project;
      HF_CHECK(transaction.update(std::move(record)));
    }
    session::NewEntry entry;
    entry.type = "request";
    entry.text = "goes on with other settings";
    entry.data = holdfast::to_json(request_json(request));
    HF_CHECK(transaction.append(id, std::move(entry)));
    return {};
  });
}

Result<void> cancel_run(session::Store& store, std::string_view id, std::string_view principal) {
  return store.write([&](Transaction& transaction) -> Result<void> {
    HF_TRY(session::SessionRecord record, find_run(transaction, id));
    if (record.principal != principal) return fail(ErrorKind::not_found, fmt::format("there is no run {}", id));
    if (record.status != "running") return fail(ErrorKind::conflict, fmt::format("run {} is over: {}", id, record.status));
    record.status = "cancelled";
    record.completed_at = record.retention_anchor_at = transaction.now();
    HF_CHECK(transaction.update(std::move(record), session::Touch::activity));
    return {};
  });
}

Result<RunReport> Runs::work(std::string_view id, const std::function<void(const RunProgress&)>& on_progress,
                             const std::stop_token& stop) {
  const session::LeaseOwner owner = session::make_lease_owner();
  ServersFile servers_file;
  auto lease = store_.write([&](Transaction& transaction) -> Result<session::Lease> {
    HF_TRY(session::SessionRecord record, find_run(transaction, id));
    servers_file = servers_file_of(record);
    if (record.status != "running") return fail(is_over(id, record.status));
    HF_TRY(session::Lease taken, transaction.acquire_lease(lease_name(id), owner));
    if (record.data.erase(kInterruption) > 0) HF_CHECK(transaction.update(std::move(record)));
    return taken;
  });
  if (!lease && lease.error().kind == ErrorKind::conflict) {
    HF_TRY(RunReport busy, read_report(store_, id));
    busy.already_running = true;
    return busy;
  }
  if (!lease) return fail(lease.error());

  HF_TRY(RunState state, read_run(store_, id));
  session::WorkerLease hold(store_, std::string(id), *lease, [&] { return stop.stop_requested(); });
  RunJournal journal(store_, std::string(id), hold);
  const WorkPlace place{settings_, servers_file, models_, executor_, journal, on_progress};
  // Cancelled by whatever process, lost to another, or asked to stop: the work hears of it at once.
  auto worked = work_through(place, state, hold.end_token());
  const bool stopping = hold.end() == session::WorkEnd::stopping;
  const bool cancelled = hold.end() == session::WorkEnd::cancelled || (!worked && worked.error().kind == ErrorKind::cancelled);
  if (!worked && !stopping && !cancelled) return fail(worked.error());
  const std::optional<Error> fault = worked && !stopping ? *worked : std::nullopt;
  if (!cancelled && (stopping || fault)) {
    // Free for whoever resumes it; should that fail, the lease runs out by itself.
    if (auto left = journal.leave(fault ? fault->message : "it was stopped"); !left)
      log(LogLevel::warn, "runner", fmt::format("run {} was left without a word: {}", id, left.error().message));
    HF_TRY(RunReport report, read_report(store_, id));
    report.fault = fault;
    return report;
  }
  if (cancelled) return read_report(store_, id);
  HF_CHECK(journal.close(status_of(state.results)));
  return read_report(store_, id);
}

}  // namespace holdfast::runner
