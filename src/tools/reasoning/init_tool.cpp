// The init tool: where am I, what was I doing, go on or begin. What it does is in operations/reasoning/continuing.cpp.
//
// It has one row of arguments for seven operations, because models mix them up: what belongs into `filters` or `target` may stand
// beside `operation`, in any spelling (argument_spelling.h). So a call goes this way:
// 1. normalise, on the I/O thread: names and nested objects are brought into the spelling of the schema, text into numbers;
// 2. the schema is checked, and what it does not know is put aside, to be reported as ignoredFields and not refused;
// 3. the operation is looked up; without one it is get_state, so that a call without arguments tells where the caller is;
// 4. its parameters are taken from the arguments, those of list_sessions and navigate also from filters and target;
// 5. the operation runs; when it has put a question to the client (for its project), the call waits, and all of it runs again;
// 6. its facts are the answer, with a line of prose in front when there is one.

#include "operations/operation.h"
#include "operations/table.h"
#include "tools/argument_schema.h"
#include "tools/argument_spelling.h"
#include "tools/reasoning/reasoning_tools.h"
#include "tools/tool_answers.h"

#include <fmt/format.h>

namespace holdfast::tools {

namespace {

constexpr std::string_view kInit = "init ";
const Aliases kInitAliases = {{"action", "operation"}, {"id", "sessionId"}, {"mcpRootUri", "root"}};

JsonObject target_properties() {
  return {{"project", argument::text()}, {"task", argument::text()}, {"aspect", argument::text()}};
}

JsonObject filter_properties() {
  JsonObject all = target_properties();
  for (const char* name : {"root", "status", "search", "visibility"}) all[name] = JsonObject{};
  all["allRoots"] = argument::flag();
  all["tags"] = JsonObject{};
  return all;
}

// The fields of a nested object, or the same beside the operation: callers mix them up (reasoning-sessions §2).
// `beside`: those that stand beside it alone.
JsonObject nested_or_flat(const JsonObject& arguments, std::string_view nested, const JsonObject& properties,
                          std::initializer_list<std::string_view> beside) {
  JsonObject fields;
  if (const JsonObject* given = find_object(arguments, nested)) fields = *given;
  for (const auto& property : properties)
    if (const Json* flat = find(arguments, property.key()); flat && !fields.contains(property.key()))
      fields[property.key()] = *flat;
  for (const std::string_view name : beside)
    if (const Json* flat = find(arguments, name)) fields[name] = *flat;
  return fields;
}

JsonObject init_properties() {
  JsonArray names;
  for (const operations::Operation& each : operations::continuing_operations())
    if (each.name.starts_with(kInit)) names.emplace_back(action_of(each));
  JsonObject all{
      {"operation", JsonObject{{"enum", std::move(names)}}},
      {"sessionId",
       JsonObject{{"type", "string"}, {"description", "load_context: this session; else the project's most recent"}}},
      {"root", JsonObject{{"type", "string"}, {"description", "project root, a file URI or absolute path"}}},
      {"rootUri", argument::text()},
      {"recent", JsonObject{{"type", "integer"}, {"description", "load_context: last thoughts to return, 0-50 [5]"}}},
      {"maxChars", JsonObject{{"type", "integer"}, {"description", "load_context: budget for their texts"}}},
      {"filters", JsonObject{{"type", "object"},
                             {"description", "list_sessions: root, allRoots, project, task, aspect, tags, status, search"}}},
      {"limit", argument::integer()},
      {"offset", argument::integer()},
      {"target", JsonObject{{"type", "object"}, {"description", "navigate: project, task, aspect"}}},
      {"tags", JsonObject{{"type", "array"}, {"items", argument::text()}}}};
  all["allRoots"] = argument::flag();
  all["status"] = JsonObject{{"type", JsonArray{"string", "array"}}};
  all["search"] = argument::text();
  for (const char* name : {"title", "project", "task", "aspect", "domain", "description"}) all[name] = argument::text();
  return all;
}

const operations::Operation* operation_of(const JsonObject& arguments) {
  return operations::find_operation(std::string(kInit) + std::string(find_string(arguments, "operation").value_or("get_state")));
}

mcp::ToolReply run_init(mcp::Call& call, const session::SharedStore& stores, const CallRoom& room) {
  const operations::Operation* operation = operation_of(call.arguments());
  if (!operation)
    return failure_with_ignored(
        make_error(ErrorKind::invalid, fmt::format("init has no operation {}", text_in(call.arguments(), "operation")), {},
                   "unsupported_operation"),
        call);
  session::StoreView store(stores, call.caller());
  CallContext context(call, store, room);
  JsonObject arguments = call.arguments();
  if (operation->name == "init list_sessions")
    arguments = nested_or_flat(arguments, "filters", filter_properties(), {"limit", "offset"});
  if (operation->name == "init navigate") arguments = nested_or_flat(arguments, "target", target_properties(), {});
  auto facts = operation->run(context, given_of(*operation, arguments));
  if (!facts && operations::is_asked(facts.error())) return mcp::InputRequired{};
  if (!facts) return failure_with_ignored(std::move(facts).error(), call);
  const std::string summary = text_in(*facts, "summary");
  facts->erase("summary");
  add_ignored(*facts, call);
  return mcp::ToolResult::state(std::move(*facts), summary);
}

}  // namespace

Result<void> add_init_tool(mcp::Server& server, const session::SharedStore& stores, const CallRoom& room) {
  mcp::Tool tool;
  tool.name = "init";
  tool.title = "Begin or continue";
  tool.description =
      "Find earlier thinking of this project and go on with it. load_context without an id returns the project's most recent "
      "session and makes it current; "
      "start_new begins one; get_state tells where you are. Nothing else needs to be called first.";
  const JsonObject all = init_properties();
  tool.input_schema = {{"type", "object"}, {"properties", all}};
  tool.normalise = [all](JsonObject& arguments) {
    settle_spelling(arguments, all, kInitAliases);
    for (const auto& [name, inner] : {std::pair("filters", filter_properties()), std::pair("target", target_properties())})
      if (const auto given = arguments.find(name); given != arguments.end())
        settle_value(given->value(), {{"type", "object"}, {"properties", inner}});
  };
  tool.annotations = {{"readOnlyHint", false}, {"destructiveHint", false}, {"openWorldHint", false}};
  tool.unknown = mcp::Tool::Unknown::report;
  tool.coerce_strings = true;
  for (const operations::Operation& each : operations::continuing_operations())
    if (each.name.starts_with(kInit)) tool.shows[std::string(action_of(each))] = each.name;
  tool.scope_of = [](const JsonObject& arguments) {
    const operations::Operation* operation = operation_of(arguments);
    return operation ? operation->scope : Scope::write;
  };
  tool.handler = [&](mcp::Call& call) { return run_init(call, stores, room); };
  return server.add_tool(std::move(tool));
}

}  // namespace holdfast::tools
