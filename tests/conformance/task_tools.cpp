// Tools that run as tasks.

#include "fixture.h"

namespace holdfast::conformance {

using namespace mcp;

namespace {

JsonObject text_field() {
  return {{"type", "string"}};
}

ToolReply slow_compute(Call& call) {
  double seconds = 0;
  if (const Json* value = find(call.arguments(), "seconds")) seconds = value->to_number<double>();
  std::string label(find_string(call.arguments(), "label").value_or("compute"));
  if (seconds > 0) {
    if (auto task = call.become_task("computing " + label); !task) return to_rpc_error(task.error());
    if (!call.wait_for(std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000))))
      return ToolResult::failure("cancelled");
  }
  return ToolResult::text(label + ": done");
}

ToolReply failing_job(Call& call) {
  if (auto task = call.become_task(); !task) return to_rpc_error(task.error());
  call.wait_for(std::chrono::seconds(1));
  return ToolResult::failure("the job failed, as it always does");
}

ToolReply protocol_error_job(Call& call) {
  if (auto task = call.become_task(); !task) return to_rpc_error(task.error());
  return RpcError{code::kInternal, "the job broke the protocol", nullptr};
}

ToolReply confirm_delete(Call& call) {
  if (auto task = call.become_task(); !task) return to_rpc_error(task.error());
  std::string filename(find_string(call.arguments(), "filename").value_or("the file"));
  const Answer* answer = call.ask(
      "confirm-1",
      Question::form("Delete " + filename + "?", object_schema({{"confirm", JsonObject{{"type", "boolean"}}}}, {"confirm"})));
  if (!answer) return InputRequired{};
  bool yes = answer->content() && find_bool(*answer->content(), "confirm") == true;
  return ToolResult::text(filename + (yes ? " deleted" : " kept"));
}

ToolReply multi_input(Call& call) {
  if (auto task = call.become_task(); !task) return to_rpc_error(task.error());
  auto question = [](std::string text) {
    return Question::form(std::move(text), object_schema({{"name", text_field()}}, {"name"}));
  };
  const Answer* first = call.ask("first-name", question("First name?"));
  const Answer* second = call.ask("second-name", question("Second name?"));
  if (!first || !second) return InputRequired{};
  return ToolResult::text("both answered");
}

ToolReply ask_then_work(Call& call) {
  const Answer* answer =
      call.ask("user_name", Question::form("What is your name?", object_schema({{"name", text_field()}}, {"name"})));
  if (!answer) return InputRequired{};
  if (auto task = call.become_task(); !task) return to_rpc_error(task.error());
  std::string name(answer->content() ? find_string(*answer->content(), "name").value_or("") : "");
  return ToolResult::text("Hello, " + name + "! The task is done.");
}

}  // namespace

Result<void> add_task_tools(Server& server) {
  auto add = [&](std::string name, std::string description, Tool::Tasks tasks, JsonObject schema,
                 std::function<ToolReply(Call&)> handler) {
    Tool tool;
    tool.name = std::move(name);
    tool.description = std::move(description);
    tool.input_schema = std::move(schema);
    tool.tasks = tasks;
    tool.handler = std::move(handler);
    return server.add_tool(std::move(tool));
  };
  using Tasks = Tool::Tasks;
  HF_CHECK(add("greet", "Greets at once", Tasks::never, object_schema({{"name", text_field()}}, {"name"}),
               [](Call& call) -> ToolReply {
                 return ToolResult::text("Hello, " + std::string(*find_string(call.arguments(), "name")) + "!");
               }));
  HF_CHECK(
      add("slow_compute", "Takes some seconds", Tasks::optional,
          object_schema({{"seconds", JsonObject{{"type", "number"}, {"minimum", 0}, {"maximum", 600}}}, {"label", text_field()}}),
          slow_compute));
  HF_CHECK(add("failing_job", "Fails after a second", Tasks::required, object_schema(), failing_job));
  HF_CHECK(add("protocol_error_job", "Ends in a protocol error", Tasks::optional, object_schema(), protocol_error_job));
  HF_CHECK(add("confirm_delete", "Asks before it deletes", Tasks::optional, object_schema({{"filename", text_field()}}),
               confirm_delete));
  HF_CHECK(add("multi_input", "Asks two things at once", Tasks::optional, object_schema(), multi_input));
  return add("test_tool_with_task", "Asks a name, then works as a task", Tasks::optional, object_schema(), ask_then_work);
}

}  // namespace holdfast::conformance
