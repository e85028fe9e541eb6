#include "tools/runner/runner_tools.h"

#include "session/kinds.h"
#include "tools/argument_schema.h"
#include "tools/argument_spelling.h"
#include "tools/caller_connection.h"
#include "tools/program_starters.h"
#include "tools/runner/run_call.h"

#include <fmt/format.h>

#include <atomic>
#include <memory>

namespace holdfast::tools {

namespace {

// Each has servers and a conversation with the model of its own, and holds a thread of the pool.
constexpr int kRunsAtOnce = 4;
constexpr std::string_view kRunId = "run_id";

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

// The run to go on with, when one is named.
Result<std::optional<std::string>> named_run(mcp::Call& call, session::Store& store) {
  const auto named = find_string(call.arguments(), kRunId);
  if (!named) return std::nullopt;
  if (call.arguments().size() > 1)
    return fail(ErrorKind::invalid, "run_id goes on with a run as it was asked for", "leave everything else out", "bad_request");
  const auto record = store.get(*named);
  if (!record || record->kind != session::kRun || record->principal != call.caller().principal)
    return fail(ErrorKind::not_found, fmt::format("there is no run {}", *named), "session with type run lists them");
  return std::string(*named);
}

Result<runner::RunReport> run_tasks(mcp::Call& call, const RunnerRoom& room, const Json& request, const Counter& taken) {
  HF_CHECK(may_run(call.caller()));
  session::StoreView store(room.stores, call.caller());
  HF_TRY(const auto earlier, named_run(call, store));
  runner::RunRequest wanted;
  if (!earlier) {
    HF_TRY(wanted, runner::parse_run_request(request));
  }
  const RunPlace place(taken);
  if (!place.is_free())
    return fail(ErrorKind::conflict, fmt::format("{} runs are under way", kRunsAtOnce), "wait until one of them is over", "busy");
  HF_TRY(runner::Runs runs, room.runs(store));
  if (earlier) return work_on_run(call, store, runs, *earlier, room.stopping);
  runner::Runs::Who who;
  who.principal = call.caller().principal;
  who.client = client_name(call.caller());
  HF_TRY(const std::string id, runs.begin(std::move(wanted), who));
  return work_on_run(call, store, runs, id, room.stopping);
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
  return tool;
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
    return answer_of_run(run_tasks(call, room, JsonObject{{"tasks", JsonArray{call.arguments()}}}, taken));
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
  many.handler = [&room, taken](mcp::Call& call) { return answer_of_run(run_tasks(call, room, Json(call.arguments()), taken)); };
  return server.add_tool(std::move(many));
}

}  // namespace holdfast::tools
