// The thought tool: one thought in, its number and session out.

#include "kinds/reasoning/thought.h"
#include "operations/operation.h"
#include "operations/table.h"
#include "tools/argument_schema.h"
#include "tools/argument_spelling.h"
#include "tools/reasoning/reasoning_tools.h"
#include "tools/tool_answers.h"

namespace holdfast::tools {

namespace {

const Aliases kThoughtAliases = {{"mcpRootUri", "root"}, {"id", "sessionId"}, {"title", "sessionTitle"}, {"tags", "sessionTags"}};

JsonObject thought_properties() {
  JsonArray types;
  for (const reasoning::ThoughtType& type : reasoning::thought_types()) types.emplace_back(type.name);
  JsonObject all{{"thought", argument::text("the text; kept as it is")},
                 {"sessionId", argument::text("append to this session; else the current one of the project is found")},
                 {"root", argument::text("project root, a file URI or absolute path")},
                 {"newSession", argument::flag("begin a session of its own")},
                 {"thoughtType", JsonObject{{"enum", std::move(types)}}},
                 {"nextThoughtNeeded", argument::flag("false ends the session (or the branch); default true")},
                 {"thoughtNumber", argument::integer("leave out: it is assigned")},
                 {"totalThoughts", argument::integer()},
                 {"isRevision", argument::flag()},
                 {"revisesThought", argument::integer("number of the thought this one corrects")},
                 {"branchId", argument::text("name of a branch")},
                 {"branchFromThought", argument::integer("where a new branch begins")},
                 {"sessionTitle", argument::text("for a new session")},
                 {"sessionTags", JsonObject{{"type", "array"}, {"items", argument::text()}}},
                 {"needsMoreThoughts", argument::flag()},
                 {"verbose", argument::flag()},
                 {"includeGuide", argument::flag("attach the guide to branches and revisions")},
                 {"agentId", argument::text()},
                 {"agentName", argument::text()},
                 {"idempotencyKey", argument::text("the same key is stored once, however often it is sent")}};
  for (const auto& property : reasoning::payload_properties()) all.insert(property);
  return all;
}

// Payloads come in all spellings, too.
void settle_payloads(JsonObject& arguments) {
  for (const reasoning::ThoughtType& type : reasoning::thought_types())
    if (const auto given = arguments.find(type.payload); !type.payload.empty() && given != arguments.end())
      if (const auto schema = parse_json(type.schema)) settle_value(given->value(), schema->as_object());
}

// A payload that the type of the thought has no place for is not stored, so the caller is told.
std::vector<std::string> foreign_payloads(const JsonObject& arguments, std::string_view thought_type) {
  std::vector<std::string> names;
  for (const reasoning::ThoughtType& type : reasoning::thought_types())
    if (!type.payload.empty() && type.name != thought_type && arguments.contains(type.payload)) names.emplace_back(type.payload);
  return names;
}

mcp::ToolReply run_thought(mcp::Call& call, const session::SharedStore& stores, const CallRoom& room) {
  static const operations::Operation& operation = *operations::find_operation("thought");
  const JsonObject& arguments = call.arguments();
  operations::Given given = given_of(operation, arguments);
  const std::string type(find_string(arguments, "thoughtType").value_or(reasoning::kDefaultType));
  static const JsonObject payloads = reasoning::payload_properties();
  JsonObject payload;
  for (const auto& property : payloads)
    if (const Json* value = find(arguments, property.key())) payload[property.key()] = *value;
  given.set("payload", std::move(payload));
  session::StoreView store(stores, call.caller());
  CallContext context(call, store, room);
  auto facts = operation.run(context, given);
  if (!facts && operations::is_asked(facts.error())) return mcp::InputRequired{};
  if (!facts) return failure_with_ignored(std::move(facts).error(), call);
  add_ignored(*facts, call, foreign_payloads(arguments, type));
  mcp::ToolResult result = mcp::ToolResult::state(std::move(*facts));
  if (find_bool(arguments, "includeGuide").value_or(false))
    result.content.push_back(mcp::resource_block(mcp::text_contents(kGuideUri, "text/markdown", thinking_guide())));
  return result;
}

}  // namespace

Result<void> add_thought_tool(mcp::Server& server, const session::SharedStore& stores, const CallRoom& room) {
  mcp::Tool tool;
  tool.name = "thought";
  tool.title = "Think";
  tool.description =
      "Write one step of thinking into a durable session that survives reconnects, restarts and compaction. Only `thought` is "
      "needed: it is numbered, and "
      "goes to the session of this connection or, after a reconnect, to the one of this project. Branch with branchId, correct "
      "with revisesThought, "
      "end with nextThoughtNeeded:false.";
  const JsonObject all = thought_properties();
  tool.input_schema = {{"type", "object"}, {"properties", all}, {"required", JsonArray{"thought"}}};
  tool.normalise = [all](JsonObject& arguments) {
    settle_spelling(arguments, all, kThoughtAliases);
    settle_payloads(arguments);
  };
  tool.annotations = {{"readOnlyHint", false}, {"destructiveHint", false}, {"idempotentHint", false}, {"openWorldHint", false}};
  tool.unknown = mcp::Tool::Unknown::report;
  tool.coerce_strings = true;
  tool.shows = {{"", "thought"}};
  tool.handler = [&](mcp::Call& call) { return run_thought(call, stores, room); };
  return server.add_tool(std::move(tool));
}

}  // namespace holdfast::tools
