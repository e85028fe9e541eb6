// holdfast run: works through tasks in the foreground, shows how far it is, prints each result.

#include "base/files/file.h"
#include "base/run/log.h"
#include "base/run/ticker.h"
#include "base/text/text.h"
#include "cli/program/context.h"
#include "cli/program/progress_bar.h"
#include "cli/program/status_line.h"
#include "cli/program/stop_signals.h"
#include "cli/services/runner_service.h"
#include "kinds/runner/run_export.h"
#include "session/kinds.h"
#include "session/query/lookup.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <mutex>
#include <optional>

namespace holdfast::cli {

namespace {

constexpr std::size_t kMaxTasksFile = 16 * 1024 * 1024;  // far above what 1,000 tasks of 10,000 characters are

Result<Json> read_tasks(const std::string& file) {
  HF_TRY(const std::string text, read_file(file == "-" ? "/dev/stdin" : file, kMaxTasksFile));
  auto parsed = parse_json(text);
  if (!parsed) return fail(std::move(parsed).error().within(file));
  return parsed;
}

runner::TaskLimits limits_of(const operations::Given& given) {
  runner::TaskLimits limits;
  if (const std::string model = given.text("model"); !model.empty()) limits.model = model;
  limits.timeout_s = given.number("timeout");
  limits.max_rounds = given.number("max_rounds");
  limits.call_timeout_s = given.number("call_timeout");
  limits.max_result_bytes = given.number("max_result");
  limits.max_calls = given.number("max_calls");
  return limits;
}

// The file, or what the options say; options count where the file says nothing.
Result<runner::RunRequest> read_run_request(const operations::Given& given) {
  const std::string file = given.text("tasks");
  const std::vector<std::string> in_words = given.texts("task");
  if (file.empty() == in_words.empty())
    return fail(ErrorKind::invalid, file.empty() ? "there is nothing to do" : "tasks come from a file or from --task, not both",
                "holdfast run TASKS.json, holdfast run --task \"...\", or holdfast run --resume", "usage");
  Json request = JsonObject();
  if (file.empty()) {
    request.as_object()["tasks"] = JsonArray(in_words.begin(), in_words.end());
  } else {
    HF_TRY(Json read, read_tasks(file));
    if (read.is_array())
      request.as_object()["tasks"] = std::move(read);
    else
      request = std::move(read);
  }
  auto parsed = runner::parse_run_request(request);
  if (!parsed) return file.empty() ? parsed : fail(std::move(parsed).error().within(file));
  if (given.has("folders")) parsed->initial_folders = given.texts("folders");
  if (given.has("servers")) parsed->servers = given.texts("servers");
  parsed->limits.take_over(limits_of(given));
  parsed->stop_on_error = parsed->stop_on_error || given.flag("stop_on_error");
  return parsed;
}

// Shows what happens, and each result when it is there.
class RunWatcher {
 public:
  explicit RunWatcher(const Context& context)
      : context_(context), line_(print_note, context.terminal.width > 0 ? context.terminal.width : kUsualWidth) {
    if (context.json || ::isatty(STDERR_FILENO) == 0) return;
    // What is logged meanwhile gets lines of its own.
    set_log_writer([this](std::string_view line) {
      const std::lock_guard lock(mutex_);
      line_.take_away();
      print_note(line);
    });
    painter_.emplace("run", std::chrono::milliseconds(StatusLine::kTick), Ticker::First::at_once, [this](const std::stop_token&) {
      const std::lock_guard lock(mutex_);
      line_.tick(steady_milliseconds());
    });
  }
  ~RunWatcher() {
    if (!painter_) return;
    painter_->stop();
    line_.take_away();
    set_log_writer({});
  }

  void operator()(const runner::RunProgress& progress) {
    const std::lock_guard lock(mutex_);
    if (progress.ended && !context_.json) {
      line_.take_away();
      print_result(context_, *progress.ended);
    }
    line_.say(steady_milliseconds(), fmt::format("[{}/{}] {}", progress.task, progress.tasks, harmless(progress.message, true)));
  }

  static void print_result(const Context& context, const runner::TaskResult& result) {
    const Terminal& terminal = context.terminal;
    const std::string status = result.status == "ok" ? terminal.green(result.status) : terminal.red(result.status);
    print(fmt::format("{} {} {}\n", terminal.bold(harmless(result.id, true)), status,
                      terminal.soft(fmt::format("({})", runner::effort_text(result)))));
    if (!trim(result.text).empty()) print(harmless(trim(result.text), false) + "\n");
    if (!result.error) return;
    print(fmt::format("{}\n", harmless(result.error->message, false)));
    if (!result.error->hint.empty()) print(terminal.soft(harmless(result.error->hint, false)) + "\n");
  }

 private:
  static constexpr std::size_t kUsualWidth = 80;  // where only stderr is a terminal

  const Context& context_;
  std::mutex mutex_;  // tools are called on several threads
  StatusLine line_;
  std::optional<Ticker> painter_;
};

std::string how_to_go_on(const std::string& id) {
  return fmt::format("holdfast run --resume {} goes on with it", id);
}

Result<void> judge(const runner::RunReport& report) {
  if (report.already_running)
    return fail(ErrorKind::conflict, fmt::format("run {} is being worked on by another process", report.id),
                fmt::format("holdfast run show {} shows how far it is", report.id));
  if (report.fault) {
    Error fault = *report.fault;
    fault.message = fmt::format("{}\nrun {} was interrupted; what is done is kept", fault.message, report.id);
    fault.hint = fmt::format("{}{}{}", fault.hint, fault.hint.empty() ? "" : "\n", how_to_go_on(report.id));
    return fail(std::move(fault));
  }
  if (report.status == "interrupted" || report.status == "running")
    return fail(ErrorKind::cancelled, fmt::format("run {} was interrupted; what is done is kept", report.id),
                how_to_go_on(report.id));
  const auto bad = std::ranges::count_if(report.results, [](const runner::TaskResult& each) { return each.status != "ok"; });
  if (report.status == "cancelled") return fail(ErrorKind::cancelled, fmt::format("run {} was cancelled", report.id));
  if (bad > 0)
    return fail(ErrorKind::internal, fmt::format("{} of {} tasks did not end well", bad, report.results.size()),
                fmt::format("holdfast run show {} shows them again", report.id), "tasks_failed");
  return {};
}

Result<void> work_on_run(Context& context, runner::Runs& runs, const std::string& id, StopSignals& signals) {
  std::stop_source stop;
  signals.on_stop([&stop] { stop.request_stop(); });
  Result<runner::RunReport> worked;
  {
    RunWatcher watcher(context);
    worked = runs.work(id, std::ref(watcher), stop.get_token());
  }
  HF_TRY(const runner::RunReport report, std::move(worked));
  if (context.json) print_json(runner::report_json(report));
  if (!context.json)
    for (const std::string& problem : report.problems) print_note("warning: " + harmless(problem, true) + "\n");
  return judge(report);
}

// What is said on the command line counts for the tasks that are left.
Result<void> amend(runner::Runs& runs, const std::string& id, const operations::Given& given) {
  runner::Runs::Changes changes;
  changes.limits = limits_of(given);
  changes.servers = given.texts("servers");
  changes.stop_on_error = given.flag("stop_on_error");
  changes.servers_file = !given.text("mcp_json").empty();
  if (changes.limits.empty() && changes.servers.empty() && !changes.stop_on_error && !changes.servers_file) return {};
  return runs.amend(id, changes);
}

// The one that is named, or the newest that is not finished.
Result<std::string> run_to_resume(const Context& context, session::Store& store) {
  const std::string& principal = context.settings.text("principal");
  if (const std::string id = context.given.text("resume"); !id.empty()) {
    HF_TRY(const session::SessionRecord record, session::find_session(store, principal, id));
    if (record.kind != session::kRun)
      return fail(ErrorKind::invalid, fmt::format("{} is a {} session, not a run", record.id, record.kind));
    return record.id;
  }
  session::Query query;
  query.kinds = {std::string(session::kRun)};
  query.statuses = {"running"};
  query.principal = principal;
  query.limit = 1;
  HF_TRY(const session::Page page, store.list(query));
  if (page.items.empty())
    return fail(ErrorKind::not_found, "every run is finished: there is nothing to resume", "holdfast run list shows them");
  return page.items.front().id;
}

// Before signals are caught and threads begin, so that Ctrl-C leaves the question. What else is wrong with the servers is said
// where they are needed.
Result<void> agree_to_servers(const Context& context) {
  const operations::Given& given = context.given;
  runner::ServersFile remembered;
  if (given.has("resume")) {
    HF_TRY(const auto store, context.open_store(true));
    HF_TRY(const std::string id, run_to_resume(context, *store));
    HF_TRY(remembered, runner::servers_of(*store, id));
  }
  const auto list = defined_servers(context, Asking::who_is_there, given.text("mcp_json"), remembered);
  return list || list.error().code != runner::kNotAgreed ? Result<void>() : fail(list.error());
}

// --trust without tasks.
Result<void> only_agree(const Context& context) {
  HF_TRY(const runner::ServerList list, defined_servers(context, Asking::who_has_asked, context.given.text("mcp_json")));
  if (list.file.path.empty()) return fail(ErrorKind::not_found, "this folder has no .mcp.json: there is nothing to agree to");
  std::vector<std::string> names;
  for (const runner::ServerDefinition& server : list.servers) names.push_back(server.name);
  if (context.json) {
    print_json(JsonObject{{"file", list.file.path}, {"from_project", list.file.from_project}, {"servers", to_json_array(names)}});
    return {};
  }
  for (const runner::BrokenServer& broken : list.broken) print_note("warning: " + harmless(broken.error.message, true) + "\n");
  const std::string file = harmless(list.file.path, true);
  print(list.file.from_project ? fmt::format("you have agreed to {}, until it changes: {}\n", file, fmt::join(names, ", "))
                               : fmt::format("{} is your own file: there is nothing to agree to\n", file));
  return {};
}

}  // namespace

Result<void> run_tasks(Context& context) {
  const operations::Given& given = context.given;
  const bool resumes = given.has("resume"), has_tasks = !given.text("tasks").empty() || given.has("task");
  if (given.flag("trust") && !resumes && !has_tasks) return only_agree(context);
  if (resumes && (has_tasks || given.has("folders")))
    return fail(ErrorKind::invalid, "--resume goes on with the tasks and folders the run was given",
                "leave TASKS, --task and --in out", "usage");
  std::optional<runner::RunRequest> request;
  if (!resumes) {
    HF_TRY(request, read_run_request(given));
  }
  HF_CHECK(agree_to_servers(context));
  HF_TRY(auto signals, StopSignals::watch());
  std::signal(SIGPIPE, SIG_IGN);  // a server that has gone is noticed by the write
  HF_TRY(auto store, context.open_store());
  HF_TRY(auto service, RunnerService::make(context, Asking::who_is_there, given.text("mcp_json")));
  runner::Runs runs = service->runs(*store);
  std::string id;
  if (request) {
    runner::Runs::Who who;
    who.principal = context.settings.text("principal");
    who.client = "holdfast/" HOLDFAST_VERSION;
    HF_TRY(id, runs.begin(*std::move(request), who));
  } else {
    HF_TRY(id, run_to_resume(context, *store));
    HF_CHECK(amend(runs, id, given));
  }
  auto done = work_on_run(context, runs, id, *signals);
  signals.reset();  // it knows what is about to go
  return done;
}

}  // namespace holdfast::cli
