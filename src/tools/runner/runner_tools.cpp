#include "tools/runner/runner_tools.h"

#include "base/run/log.h"
#include "kinds/runner/run_export.h"
#include "mcp/server/tasks.h"
#include "operations/context.h"
#include "operations/runner/runs.h"
#include "session/kinds.h"
#include "tools/argument_schema.h"
#include "tools/argument_spelling.h"
#include "tools/caller_connection.h"
#include "tools/program_starters.h"

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

namespace holdfast::tools {

namespace {

// Each has servers and a conversation with the model of its own, and holds a thread of the pool.
constexpr int kRunsAtOnce = 4;
constexpr std::string_view kRunId = "run_id";

using Time = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kLookAtClient{200};  // whether the client gave up: nobody tells us
constexpr std::chrono::seconds kLongestSilence{15};      // hosts end calls of which they hear nothing for a minute

// What the run says on its threads and the call reads on its own.
class Said {
 public:
  void add(std::string message) {
    const std::lock_guard lock(mutex_);
    messages_.push_back(std::move(message));
    changed_.notify_all();
  }
  void end() {
    const std::lock_guard lock(mutex_);
    over_ = true;
    changed_.notify_all();
  }
  // What was said since, at once or after a while; over: nothing follows.
  std::deque<std::string> take(bool& over) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, kLookAtClient, [this] { return over_ || !messages_.empty(); });
    over = over_;
    return std::exchange(messages_, {});
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::string> messages_;
  bool over_ = false;
};

// Progress to whoever waits, strictly increasing.
class Telling {
 public:
  Telling(mcp::Call& call, bool is_task) : call_(call), is_task_(is_task) {}
  void tell(const std::string& message) {
    told_ = Time::now();
    last_ = message;
    say(message);
  }
  void tell_silence() {
    if (Time::now() - told_ < kLongestSilence) return;
    told_ = Time::now();
    say(last_ + " …");
  }

 private:
  void say(const std::string& message) {
    if (is_task_)
      call_.task_status(message);
    else
      call_.progress(++steps_, {}, message);
  }

  mcp::Call& call_;
  const bool is_task_;
  double steps_ = 0;
  std::string last_;
  Time::time_point told_ = Time::now();
};

// In _meta of a task: which run it is.
constexpr std::string_view kTaskOfRun = "holdfast/run_id";

// For people and for clients.
std::string how_to_go_on(std::string_view run) {
  return fmt::format("autonomous_persistent_session with run_id {0}, or holdfast run --resume {0}, goes on with it", run);
}

// Blocks the pool thread until the run is over, cancelled or interrupted: progress to the client, cancellation and the end of the
// process to the run. Errors: those of Runs::work, of the tasks extension.
Result<runner::RunReport> work_in_call(mcp::Call& call, session::Store& store, runner::Runs& runs, const std::string& id,
                                       const std::stop_token& stopping) {
  HF_TRY(const bool is_task,
         call.become_task(fmt::format("{}: started", id), JsonObject{{kTaskOfRun, id}, {mcp::kWhenStopped, how_to_go_on(id)}}));
  Said said;
  Result<runner::RunReport> report;
  std::stop_source interrupt;
  const std::stop_callback by_process(stopping, [&] { interrupt.request_stop(); });
  const std::jthread worker([&] {
    report = runs.work(
        id,
        [&](const runner::RunProgress& progress) {
          said.add(fmt::format("{}/{} {}", progress.task, progress.tasks, progress.message));
        },
        interrupt.get_token());
    said.end();
  });
  Telling telling(call, is_task);
  bool over = false, cancelled = false;
  while (!over) {
    for (const std::string& message : said.take(over)) telling.tell(message);
    telling.tell_silence();
    if (!call.cancelled() || cancelled || stopping.stop_requested()) continue;
    cancelled = true;
    if (auto done = runner::cancel_run(store, id, call.caller().principal); !done)
      log(LogLevel::warn, "tools", fmt::format("run {} was not cancelled: {}", id, done.error().message));
  }
  return report;
}

using Counter = std::shared_ptr<std::atomic<int>>;

// One of the few at a time.
class RunPlace {
 public:
  explicit RunPlace(Counter taken) : taken_(std::move(taken)), number_(++*taken_) {}
  ~RunPlace() { --*taken_; }
  RunPlace(const RunPlace&) = delete;
  RunPlace& operator=(const RunPlace&) = delete;
  bool is_free() const { return number_ <= kRunsAtOnce; }

 private:
  Counter taken_;
  int number_;
};

JsonObject whole(std::int64_t most, std::string_view description, std::int64_t least = 1) {
  return {{"type", "integer"}, {"minimum", least}, {"maximum", most}, {"description", description}};
}
JsonObject folders(std::string_view description) {
  return {{"anyOf", JsonArray{JsonObject{{"type", "string"}},
                              JsonObject{{"type", "array"}, {"items", JsonObject{{"type", "string"}}}, {"minItems", 1}}}},
          {"description", description}};
}

JsonObject task_properties() {
  return {{"task", argument::text("what is to be done, in words; 1 to 10,000 characters")},
          {"working_directory", folders("the folder or folders it works in [those of the task before]")},
          {"max_rounds", whole(runner::kMaxRounds, "answers of the model at most [100]")},
          {"max_tokens", JsonObject{{"anyOf", JsonArray{JsonObject{{"type", "integer"}, {"minimum", 1}},
                                                        JsonObject{{"type", "string"}, {"enum", JsonArray{"auto"}}}}},
                                    {"description", "of one answer of the model [auto]"}}},
          {"model", argument::text("instead of the endpoint's own")},
          {"timeout_s", whole(runner::kMaxTimeout, "seconds for the task [600]")},
          {"call_timeout_s", whole(runner::kMaxTimeout, "seconds for one call of a tool, without an answer or progress [60]")},
          {"max_result_bytes",
           whole(runner::kMaxResultBytes, "of one result that the model is shown [65536]", runner::kMinResultBytes)},
          {"max_calls", whole(runner::kMaxCalls, "calls in one answer of the model [64]")}};
}

JsonObject session_properties() {
  JsonObject task = task_properties();
  task["id"] = argument::text("what the task is called in the results");
  task["keep_context"] = JsonObject{{"type", "boolean"}, {"description", "go on with the conversation of the task before"}};
  JsonObject properties{
      {"tasks", JsonObject{{"type", "array"},
                           {"minItems", 1},
                           {"maxItems", runner::kMaxTasks},
                           {"description", "what is to be done; needed unless run_id is given"},
                           {"items", JsonObject{{"anyOf", JsonArray{JsonObject{{"type", "string"}},
                                                                    JsonObject{{"type", "object"},
                                                                               {"properties", task},
                                                                               {"required", JsonArray{"task"}},
                                                                               {"additionalProperties", false}}}}}}}},
      {"initial_directory", folders("where tasks that name no folder work [the server's working directory]")},
      {"servers", JsonObject{{"type", "array"},
                             {"items", JsonObject{{"type", "string"}}},
                             {"description", "names of the MCP servers to use [all that are configured]"}}},
      {"on_error", JsonObject{{"type", "string"}, {"enum", JsonArray{"continue", "stop"}}, {"description", "[continue]"}}},
      {kRunId, argument::text("instead of tasks: go on with a run that was interrupted, at its first task without a result")},
      {"response_format", JsonObject{{"type", "object"}, {"description", "handed to the model as it is"}}}};
  for (const char* name : {"max_rounds", "max_tokens", "model", "timeout_s", "call_timeout_s", "max_result_bytes", "max_calls"})
    properties[name] = task.at(name);
  return properties;
}

Result<void> may_run(const mcp::Caller& caller) {
  if (caller.transport == mcp::Transport::stdio) return {};
  if (caller.principal == kLocalPrincipal) return {};
  return fail(ErrorKind::refused, "runs start programs, and may only be asked for by the user who runs this server",
              "use it over stdio, or with that user's own token", "not_local");
}

// One call, as operations see it: a run that its client hears of, and can end.
class RunCall final : public operations::Context {
 public:
  RunCall(mcp::Call& call, const RunnerRoom& room, Counter taken)
      : call_(call), room_(room), taken_(std::move(taken)), store_(room.stores, call.caller()) {}

  const Identity& identity() const override { return call_.caller(); }
  Millis now() const override { return room_.clock.now(); }
  const session::RetentionPolicy& policy() const override { return policy_; }
  Result<session::Store*> store(bool) override { return &store_; }
  Result<operations::Runner> runner() override {
    operations::Runner runner;
    runner.client = client_name(call_.caller());
    runner.runs = [this](session::Store& store) -> Result<runner::Runs> {
      if (!place_.emplace(taken_).is_free())
        return fail(ErrorKind::conflict, fmt::format("{} runs are under way", kRunsAtOnce), "wait until one of them is over",
                    "busy");
      return room_.runs(store);
    };
    runner.work = [this](runner::Runs& runs, session::Store& store, const std::string& id) {
      return work_in_call(call_, store, runs, id, room_.stopping);
    };
    return runner;
  }
  Result<void> agree(const std::string&, const JsonObject&) override { return {}; }

 private:
  mcp::Call& call_;
  const RunnerRoom& room_;
  const Counter taken_;
  session::StoreView store_;
  session::RetentionPolicy policy_;
  std::optional<RunPlace> place_;
};

// `request`: what is to be done, unless a run is named to go on with.
Result<runner::RunReport> answer_run_call(mcp::Call& call, const RunnerRoom& room, Json request, const Counter& taken) {
  HF_CHECK(may_run(call.caller()));
  operations::Given given;
  if (const auto earlier = find_string(call.arguments(), kRunId)) {
    if (call.arguments().size() > 1)
      return fail(ErrorKind::invalid, "run_id goes on with a run as it was asked for", "leave everything else out",
                  "bad_request");
    if (earlier->empty()) return fail(ErrorKind::not_found, "run_id names no run", "session with type run lists them");
    given.set("resume", Json(*earlier));
  } else {
    given.set("request", std::move(request));
  }
  RunCall context(call, room, taken);
  return operations::work_on_run(context, given);
}

mcp::ToolReply answer_of_run(const Result<runner::RunReport>& report) {
  if (!report) return mcp::ToolResult::failure(report.error());
  JsonObject state = runner::report_json(*report);
  if (report->status == "interrupted") state["hint"] = how_to_go_on(report->id);
  if (report->fault) {
    state["error"] = report->fault->word();
    state["message"] = report->fault->message;
    if (!report->fault->hint.empty()) state["hint"] = fmt::format("{}; then {}", report->fault->hint, how_to_go_on(report->id));
  }
  if (report->already_running) state["hint"] = "another process works on it";
  mcp::ToolResult result = mcp::ToolResult::state(std::move(state));
  result.is_error = report->status != "completed";
  return result;
}

mcp::Tool tool_of(std::string name, std::string title, std::string description, JsonObject properties, const char* required) {
  mcp::Tool tool;
  tool.name = std::move(name);
  tool.title = std::move(title);
  tool.description = std::move(description);
  tool.input_schema = {{"type", "object"}, {"properties", std::move(properties)}};
  if (required) tool.input_schema["required"] = JsonArray{required};
  tool.annotations = {{"readOnlyHint", false}, {"destructiveHint", true}, {"openWorldHint", true}};
  tool.unknown = mcp::Tool::Unknown::refuse;
  tool.argument_error = "bad_request";
  tool.normalise = drop_nulls;
  tool.starts_programs = starts_programs(tool.name);
  tool.tasks = mcp::Tool::Tasks::optional;
  tool.shows = {{"", "run"}};
  return tool;
}

// ---- the kind `run` of the `session` tool. `get` shows all entries, as of every kind: the tasks, what the model said, calls
// with their whole results ----

Result<SessionAnswer> where_it_stands(SessionCall& call) {
  HF_TRY(const runner::RunReport report, runner::read_report(call.store, call.record->id));
  JsonObject state = runner::report_json(report);
  state["session"] = call.operations.item(*call.record, call.now);
  if (report.status == "interrupted") state["hint"] = how_to_go_on(report.id);
  return SessionAnswer{std::move(state)};
}

Result<SessionAnswer> cancel_task_run(SessionCall& call) {
  HF_CHECK(runner::cancel_run(call.store, call.record->id, call.principal()));
  HF_TRY(const session::SessionRecord record, call.store.get(call.record->id));
  return SessionAnswer{{{"sessionId", record.id}, {"session", call.operations.item(record, call.now)}}};
}

Result<SessionAnswer> export_task_run(SessionCall& call) {
  const std::string format(find_string(call.arguments(), "format").value_or("markdown"));
  HF_TRY(const std::string content, runner::export_report(call.store, call.record->id, format));
  return SessionAnswer{{{"sessionId", call.record->id}, {"format", format}, {"content", content}}};
}

}  // namespace

Result<void> add_runner_tools(mcp::Server& server, const RunnerRoom& room) {
  const Counter taken = std::make_shared<std::atomic<int>>(0);
  mcp::Tool one =
      tool_of("autonomous_filesystem_full", "Give a local model one task",
              "A local model works on one task by itself, with the tools of the configured MCP servers, in the folder "
              "you name. Returns its answer and what it took; the run is kept (session with type run).",
              task_properties(), "task");
  one.handler = [&room, taken](mcp::Call& call) {
    return answer_of_run(answer_run_call(call, room, JsonObject{{"tasks", JsonArray{call.arguments()}}}, taken));
  };
  HF_CHECK(server.add_tool(std::move(one)));
  mcp::Tool many = tool_of(
      "autonomous_persistent_session", "Give a local model a list of tasks",
      "A local model works through a list of tasks, one after another, each in its own folders, over connections that stay open. "
      "One result for each task: a task that fails costs the others nothing. The run is kept (session with type run), and one "
      "that was interrupted goes on with run_id.",
      session_properties(), nullptr);
  // Everything that is wrong with the tasks is said at once, each by its index: the schema's words would be about branches.
  many.handler_validates = true;
  many.handler = [&room, taken](mcp::Call& call) {
    return answer_of_run(answer_run_call(call, room, Json(call.arguments()), taken));
  };
  return server.add_tool(std::move(many));
}

void add_run_kind(SessionOperations& operations) {
  using enum SessionOperation::Session;
  const std::string kind(session::kRun);
  operations.add({"resume", kind, required, where_it_stands, Scope::read});
  operations.add({"cancel", kind, required, cancel_task_run});
  operations.add({"export", kind, required, export_task_run, Scope::read});
  operations.add_argument("format", {{"type", "string"}});
}

}  // namespace holdfast::tools
