// The thought tool: one thought in, its number and session out.

#include "kinds/reasoning/thought.h"
#include "tools/argument_schema.h"
#include "tools/argument_spelling.h"
#include "tools/reasoning/reasoning_results.h"
#include "tools/reasoning/reasoning_tools.h"
#include "tools/session/session_arguments.h"
#include "tools/tool_answers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

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

std::optional<std::string> text_of(const JsonObject& arguments, std::string_view key) {
  const auto text = find_string(arguments, key);
  return text ? std::optional(std::string(*text)) : std::nullopt;
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

Result<reasoning::ThoughtRequest> read_request(const JsonObject& arguments) {
  reasoning::ThoughtRequest request;
  const reasoning::ThoughtType* type =
      reasoning::find_type(find_string(arguments, "thoughtType").value_or(reasoning::kDefaultType));
  if (!type) return fail(ErrorKind::invalid, "unknown thoughtType", {}, "invalid_argument");
  request.type = type->name;
  HF_TRY(request.payload, reasoning::read_payload(*type, arguments));
  request.text = text_of(arguments, "thought").value_or("");
  request.session_id = text_of(arguments, "sessionId");
  if (request.session_id && request.session_id->empty()) request.session_id.reset();
  request.new_session = find_bool(arguments, "newSession").value_or(false);
  request.next_needed = find_bool(arguments, "nextThoughtNeeded").value_or(true);
  request.number = find_int(arguments, "thoughtNumber");
  request.total = find_int(arguments, "totalThoughts");
  request.is_revision = find_bool(arguments, "isRevision");
  request.revises = find_int(arguments, "revisesThought");
  request.branch = text_of(arguments, "branchId");
  request.branch_from = find_int(arguments, "branchFromThought");
  request.session_title = text_of(arguments, "sessionTitle");
  request.session_tags = texts_of(arguments, "sessionTags");
  request.needs_more = find_bool(arguments, "needsMoreThoughts");
  request.agent_id = text_of(arguments, "agentId").value_or("");
  request.agent_name = text_of(arguments, "agentName").value_or("");
  request.idempotency_key = text_of(arguments, "idempotencyKey").value_or("");
  HF_CHECK(reasoning::check_request(request));
  return request;
}

mcp::ToolReply run_thought(const ReasoningCaller& caller, mcp::Call& call) {
  session::StoreView store = caller.store_of(call);
  auto request = read_request(call.arguments());
  if (!request) return failure_with_ignored(request.error(), call);
  // A session that is named, or open on this connection, needs no project: do not ask the client for nothing.
  const bool may_be_open = !request->session_id && !request->new_session && !request->session_title;
  Result<ReasoningCaller::Situated> situated = ReasoningCaller::Situated{};
  if (may_be_open && request->next_needed) {
    situated->situation = caller.situate_unread(call);
  } else {
    situated = caller.situate(call, false);  // append_thought prepares the end of a session that it knows
    if (!situated) return failure_with_ignored(situated.error(), call);
  }
  Result<std::optional<reasoning::AppendOutcome>> outcome = std::nullopt;
  if (request->session_id)
    outcome = reasoning::append_thought(store, *request, situated->situation);
  else if (may_be_open && situated->situation.has_connection())
    outcome = reasoning::append_if_open(store, *request, situated->situation);
  if (outcome && !*outcome) {
    situated = caller.situate(call, true, true);
    if (!situated) return failure_with_ignored(situated.error(), call);
    if (situated->input_required) return mcp::InputRequired{};
    outcome = reasoning::append_thought(store, *request, situated->situation);
  }
  if (!outcome) return failure_with_ignored(outcome.error(), call);
  reasoning::AppendOutcome& appended = **outcome;
  if (!situated->notice.empty()) appended.notices.push_back(situated->notice);
  JsonObject state = appended_state(appended, find_bool(call.arguments(), "verbose").value_or(false));
  add_ignored(state, call, foreign_payloads(call.arguments(), request->type));
  mcp::ToolResult result = mcp::ToolResult::state(std::move(state));
  if (find_bool(call.arguments(), "includeGuide").value_or(false))
    result.content.push_back(mcp::resource_block(mcp::text_contents(kGuideUri, "text/markdown", thinking_guide())));
  return result;
}

}  // namespace

Result<void> add_thought_tool(mcp::Server& server, const ReasoningCaller& caller) {
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
  tool.handler = [&caller](mcp::Call& call) { return run_thought(caller, call); };
  return server.add_tool(std::move(tool));
}

}  // namespace holdfast::tools
