// The `session` tool: finds the operation and the session it is about, and wraps what comes back.

#include "operations/sessions/list_filters.h"
#include "operations/sessions/notes.h"
#include "tools/argument_spelling.h"
#include "tools/session/confirmation.h"
#include "tools/session/notices.h"
#include "tools/session/session_tools.h"
#include "tools/tool_answers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace holdfast::tools {

namespace {

const Aliases kSessionAliases = {{"action", "operation"},   {"id", "sessionId"},          {"thread_id", "sessionId"},
                                 {"threadId", "sessionId"}, {"research_id", "sessionId"}, {"researchId", "sessionId"},
                                 {"ids", "sessionIds"},     {"mcpRootUri", "root"},       {"search", "q"}};

std::unexpected<Error> unsupported_operation(const SessionOperations& operations, std::string_view name, std::string_view kind) {
  std::string what =
      kind.empty() ? fmt::format("there is no operation {}", name) : fmt::format("a {} session has no operation {}", kind, name);
  return fail(ErrorKind::invalid, std::move(what), fmt::format("operations: {}", fmt::join(operations.names_for(kind), ", ")),
              "unsupported_operation");
}

// One that was purged is told of in the words of its kind.
Result<catalogue::Found> find_named(const SessionCall& call, std::string_view id) {
  auto found = catalogue::find(call.context.asker(), id);
  if (found || found.error().code != "gone") return found;
  HF_TRY(const auto tombstone, call.store.tombstone(id));
  if (!tombstone) return found;
  return fail(in_words_of(tombstone->kind, std::move(found).error()));
}

// The kind that `type` names, when it names one that is not in the store.
std::string outside_kind(const SessionCall& call) {
  const auto kinds = operations::kinds_of(operations::Given(call.arguments()));
  if (kinds && kinds->size() == 1 && call.operations.is_outside(kinds->front())) return kinds->front();
  return {};
}

Result<SessionAnswer> perform_operation(SessionCall& call) {
  const JsonObject& arguments = call.arguments();
  const std::string_view name = find_string(arguments, "operation").value_or("");
  if (!call.operations.knows(name)) return unsupported_operation(call.operations, name, {});
  auto id = find_string(arguments, "sessionId");
  std::string kind;
  if (id) {
    HF_TRY(call.found, find_named(call, *id));
    HF_TRY(call.record, catalogue::record_of(call.context.asker(), *call.found));
    kind = call.record->kind;
  } else {
    kind = outside_kind(call);
  }
  const SessionOperation* operation = call.operations.find(name, kind);
  if (!operation && !kind.empty()) return unsupported_operation(call.operations, name, kind);
  if (!operation || (!id && operation->session == SessionOperation::Session::required))
    return fail(ErrorKind::invalid, fmt::format("{} needs a sessionId", name), "operation list shows the sessions",
                "invalid_argument");
  auto answer = operation->run(call);
  if (name != "get" || !answer || !call.found) return answer;
  HF_TRY(JsonArray notes, operations::notes_of(call.store, call.found->id()));
  if (!notes.empty()) answer->state["notes"] = std::move(notes);
  return answer;
}

mcp::ToolReply to_reply(Result<SessionAnswer> answer, const SessionCall& call) {
  if (!answer && operations::is_asked(answer.error())) return mcp::InputRequired{};
  if (!answer) return failure_with_ignored(answer.error(), call.call);
  add_ignored(answer->state, call.call);
  const DueNotices due = take_due_notices(call.store, call.principal(), call.now);
  if (!due.notices.empty() && !answer->state.contains("notices")) {
    answer->state["notices"] = due.notices;
    if (due.more > 0) answer->state["more"] = due.more;
  }
  mcp::ToolResult result = mcp::ToolResult::state(std::move(answer->state), answer->summary);
  add_notice_block(result, due);
  return result;
}

}  // namespace

Result<void> add_session_tool(mcp::Server& server, const session::SharedStore& stores, const SessionOperations& operations,
                              const CallRoom& room) {
  JsonObject properties{
      {"operation",
       JsonObject{{"type", "string"}, {"description", fmt::format("{}", fmt::join(operations.names_for({}), ", "))}}},
      {"sessionId", JsonObject{{"type", "string"}, {"description", "id of a session, or a unique start of it"}}}};
  for (const auto& argument : operations.arguments()) properties.insert(argument);
  for (const auto& argument : confirmation_arguments()) properties.insert(argument);

  mcp::Tool tool;
  tool.name = "session";
  tool.title = "Sessions";
  tool.description =
      "Find, read and organise durable sessions of every kind. list shows those of the current project (allRoots: of all), "
      "get reads one, search looks into titles and text, resume shows where it stands, update changes title, description, tags, "
      "pin; archive puts one aside, restore brings a deleted one back. delete, purge and redact ask the user first.";
  tool.normalise = [properties](JsonObject& arguments) {
    settle_spelling(arguments, properties, kSessionAliases);
    if (const auto range = arguments.find("range"); range != arguments.end())
      if (const JsonObject* schema = find_object(properties, "range")) settle_value(range->value(), *schema);
  };
  tool.input_schema = {{"type", "object"}, {"properties", properties}, {"required", JsonArray{"operation"}}};
  tool.annotations = {{"readOnlyHint", false}, {"destructiveHint", true}, {"openWorldHint", false}};
  tool.unknown = mcp::Tool::Unknown::report;
  tool.coerce_strings = true;
  tool.shows = operations.rows();
  tool.scope_of = [&operations](const JsonObject& arguments) { return operations.scope_of(text_in(arguments, "operation")); };
  tool.handler = [&stores, &operations, &room](mcp::Call& call) {
    session::StoreView store(stores, call.caller());
    CallContext context(call, store, room);
    SessionCall session_call{call, store, operations, room.root, context.now(), context, std::nullopt, std::nullopt};
    return to_reply(perform_operation(session_call), session_call);
  };
  return server.add_tool(std::move(tool));
}

}  // namespace holdfast::tools
