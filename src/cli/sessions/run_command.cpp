// holdfast run: works through tasks in the foreground, shows how far it is, prints each result.

#include "base/run/log.h"
#include "base/run/ticker.h"
#include "base/text/text.h"
#include "cli/program/care_settings.h"
#include "cli/program/context.h"
#include "cli/program/progress_bar.h"
#include "cli/program/stop_signals.h"
#include "cli/services/runner_service.h"
#include "kinds/runner/run_export.h"
#include "operations/context.h"
#include "operations/runner/runs.h"

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

// A run at the terminal: its servers are agreed to, Ctrl-C interrupts it, and each result is printed when it is there.
class RunAtTerminal final : public operations::Context {
 public:
  explicit RunAtTerminal(cli::Context& context)
      : context_(context),
        identity_(full_identity(context.settings.text("principal"))),
        policy_(retention_policy(context.settings)) {}

  const Identity& identity() const override { return identity_; }
  Millis now() const override { return context_.clock->now(); }
  const session::RetentionPolicy& policy() const override { return policy_; }
  Result<session::Store*> store(bool to_read) override {
    if (!store_ || (store_is_to_read_ && !to_read)) {
      HF_TRY(store_, context_.open_store(to_read));
      store_is_to_read_ = to_read;
    }
    return store_.get();
  }
  Result<operations::Runner> runner() override {
    HF_CHECK(agree_to_servers());
    HF_TRY(signals_, StopSignals::watch());
    std::signal(SIGPIPE, SIG_IGN);  // a server that has gone is noticed by the write
    operations::Runner runner;
    runner.client = "holdfast/" HOLDFAST_VERSION;
    runner.runs = [this](session::Store& store) -> Result<runner::Runs> {
      HF_TRY(service_, RunnerService::make(context_, Asking::who_is_there, context_.given.text("mcp_json")));
      return service_->runs(store);
    };
    runner.work = [this](runner::Runs& runs, session::Store&, const std::string& id) {
      signals_->on_stop([this] { stop_.request_stop(); });
      RunWatcher watcher(context_);
      return runs.work(id, std::ref(watcher), stop_.get_token());
    };
    return runner;
  }
  Result<void> agree(const std::string&, const JsonObject&) override { return {}; }

 private:
  // Before signals are caught and threads begin, so that Ctrl-C leaves the question. What else is wrong with the servers is said
  // where they are needed.
  Result<void> agree_to_servers() {
    runner::ServersFile remembered;
    if (context_.given.has("resume")) {
      HF_CHECK(store(true));  // none is made for this
      HF_TRY(const std::string id, operations::run_to_resume(*this, context_.given));
      HF_TRY(remembered, runner::servers_of(*store_, id));
    }
    const auto list = defined_servers(context_, Asking::who_is_there, context_.given.text("mcp_json"), remembered);
    return list || list.error().code != runner::kNotAgreed ? Result<void>() : fail(list.error());
  }

  cli::Context& context_;
  Identity identity_;
  session::RetentionPolicy policy_;
  std::unique_ptr<session::Store> store_;
  bool store_is_to_read_ = false;
  std::unique_ptr<RunnerService> service_;
  std::stop_source stop_;
  std::unique_ptr<StopSignals> signals_;  // goes first: it knows what is above
};

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
  const bool has_work = given.has("resume") || !given.text("tasks").empty() || given.has("task");
  if (given.flag("trust") && !has_work) return only_agree(context);
  RunAtTerminal work(context);
  HF_TRY(const runner::RunReport report, operations::work_on_run(work, given));
  if (context.json) print_json(runner::report_json(report));
  if (!context.json)
    for (const std::string& problem : report.problems) print_note("warning: " + harmless(problem, true) + "\n");
  return judge(report);
}

}  // namespace holdfast::cli
