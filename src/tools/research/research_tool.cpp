#include "tools/research/research_tool.h"

#include "operations/operation.h"
#include "operations/table.h"
#include "tools/research/research_envelope.h"
#include "tools/research/research_wait.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <map>
#include <memory>
#include <utility>

namespace holdfast::tools {

namespace {

// Names that callers know from elsewhere (threads-and-research §2).
constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kResearchAliases = {{{"investigation_id", "thread_id"},
                                                                                            {"ideation_id", "thread_id"},
                                                                                            {"consensus_id", "thread_id"},
                                                                                            {"session_id", "id"},
                                                                                            {"sessionId", "id"},
                                                                                            {"mcpRootUri", "root"}}};

struct CheckedAction {
  ResearchAction action;
  JsonObject properties;
  Schema schema;

  // Each action refuses what only another one takes: an argument that would have no effect is a mistake.
  std::vector<SchemaViolation> check(const JsonObject& arguments) const {
    std::vector<SchemaViolation> violations = schema.validate(Json(arguments));
    for (const auto& argument : arguments)
      if (!properties.contains(argument.key()))
        violations.push_back({fmt::format("/{}", std::string_view(argument.key().data(), argument.key().size())), "unknown",
                              fmt::format("is not an argument of {}", action.name)});
    return violations;
  }
};

struct Table {
  std::vector<std::string> names;  // in order
  std::map<std::string, CheckedAction, std::less<>> actions;
};

Result<CheckedAction> checked(ResearchAction action, const JsonObject& schemas) {
  JsonObject properties{{"action", JsonObject{}}};
  for (const auto* names : {&action.required, &action.optional})
    for (const std::string& name : *names) properties[name] = schemas.at(name);
  HF_TRY(Schema schema, Schema::compile(JsonObject{
                            {"type", "object"}, {"properties", properties}, {"required", to_json_array(action.required)}}));
  return CheckedAction{std::move(action), std::move(properties), std::move(schema)};
}

Result<std::shared_ptr<const Table>> make_table(const JsonObject& schemas) {
  auto table = std::make_shared<Table>();
  for (ResearchAction& action : research_actions()) {
    HF_TRY(CheckedAction each, checked(std::move(action), schemas));
    table->names.push_back(each.action.name);
    table->actions.emplace(each.action.name, std::move(each));
  }
  return table;
}

void settle_names(JsonObject& arguments) {
  JsonObject settled;
  for (auto& argument : arguments) {
    if (argument.value().is_null()) continue;  // how many clients leave a field out
    std::string_view name(argument.key().data(), argument.key().size());
    for (const auto& [alias, meant] : kResearchAliases)
      if (name == alias && !arguments.contains(meant)) name = meant;
    settled[name] = std::move(argument.value());
  }
  arguments = std::move(settled);
}

EnvelopeFailure unsupported_action(const Table& table, std::string_view name) {
  EnvelopeFailure failure;
  failure.error = make_error(ErrorKind::invalid, fmt::format("there is no action {}", name),
                             fmt::format("actions: {}", fmt::join(table.names, ", ")), "UNSUPPORTED_ACTION");
  failure.field = "action";
  failure.details["allowed"] = to_json_array(table.names);
  return failure;
}

mcp::ToolReply answer_research_call(mcp::Call& call, const ResearchRooms& rooms, const Table& table) {
  session::StoreView store(rooms.stores, call.caller());
  CallContext context(call, store, rooms.calls, "research");
  ResearchCall research_call{call, rooms, store, context};
  const auto name = find_string(call.arguments(), "action");
  if (!name) {
    const bool missing = find(call.arguments(), "action") == nullptr;
    EnvelopeFailure failure = unsupported_action(table, "");
    failure.error.message = missing ? "action is required" : "action must be a string";
    failure.error.code = missing ? "MISSING_REQUIRED" : "VALIDATION_ERROR";
    return to_envelope(rooms, std::move(failure));
  }
  const auto found = table.actions.find(*name);
  if (found == table.actions.end()) return to_envelope(rooms, unsupported_action(table, *name));
  if (auto violations = found->second.check(call.arguments()); !violations.empty())
    return to_envelope(rooms, to_failure(violations, *name));
  const ResearchAction& action = found->second.action;
  auto answered = action.run(research_call, action);
  if (!answered && operations::is_asked(answered.error())) return mcp::InputRequired{};
  if (!answered) return to_envelope(rooms, to_failure(std::move(answered).error(), research_call));
  return to_envelope(research_call, std::move(*answered));
}

}  // namespace

Result<void> add_research_tool(mcp::Server& server, const ResearchRooms& rooms) {
  JsonObject schemas = argument_schemas();
  HF_TRY(std::shared_ptr<const Table> table, make_table(schemas));
  JsonObject properties{
      {"action", JsonObject{{"type", "string"}, {"enum", to_json_array(table->names)}, {"description", "what to do"}}}};
  for (const auto& schema : schemas) properties.insert(schema);

  mcp::Tool tool;
  tool.name = "research";
  tool.title = "Threads and research";
  tool.description =
      "Durable conversations and research runs. chat, thinkdeep, ideate and consensus talk to a model and keep the thread; "
      "thread-append keeps turns made elsewhere. deep-research answers a question from the user's own documents, past sessions "
      "and the web, in the background, with checked quotes and citations; it survives restarts. deep-research-status, -report, "
      "-cancel; archive, restore, pin; delete, purge and redact ask the user first.";
  tool.input_schema = {{"type", "object"}, {"properties", std::move(properties)}, {"required", JsonArray{"action"}}};
  tool.annotations = {{"readOnlyHint", false}, {"destructiveHint", true}, {"openWorldHint", true}};
  tool.unknown = mcp::Tool::Unknown::refuse;
  tool.normalise = settle_names;
  tool.handler_validates = true;
  tool.tasks = mcp::Tool::Tasks::optional;
  for (const auto& [name, each] : table->actions) tool.shows[name] = each.action.operation;
  // One that is not known changes things.
  tool.scope_of = [table](const JsonObject& arguments) {
    const auto known = table->actions.find(text_in(arguments, "action"));
    return known == table->actions.end() ? Scope::write : operations::find_operation(known->second.action.operation)->scope;
  };
  tool.handler = [&rooms, table](mcp::Call& call) { return answer_research_call(call, rooms, *table); };
  server.tasks().set_survivors(surviving_runs(rooms));
  return server.add_tool(std::move(tool));
}

}  // namespace holdfast::tools
