#include "tools/session/session_operations.h"

#include "operations/context.h"
#include "operations/sessions/session_item.h"
#include "operations/table.h"
#include "session/kinds.h"
#include "tools/argument_schema.h"
#include "tools/tool_answers.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::tools {

namespace {

// Whose words a refusal is in: those of the session's kind, of several the first one's.
std::string kind_of(const SessionCall& call) {
  if (call.record) return call.record->kind;
  for (const std::string& id : texts_in(call.arguments(), "sessionIds"))
    if (const auto found = catalogue::find(call.context.asker(), id); found && found->record()) return found->record()->kind;
  return {};
}

Result<operations::Facts> facts_of(const operations::Operation& operation, SessionCall& call) {
  operations::Given given = given_of(operation, call.arguments());
  if (call.record && find(operation.parameters, "session")) given.set("session", Json(call.record->id));
  // Lists are filtered by a status; a change of it belongs to the kinds that have their own `update`.
  if (operation.name == "sessions update" && call.arguments().contains("status"))
    return fail(ErrorKind::invalid, fmt::format("the status of a {} session cannot be set here", call.record->kind), {},
                "invalid_argument");
  HF_CHECK(check(operation, given));
  return operation.run(call.context, given);
}

Result<SessionAnswer> answer_of(const operations::Operation& operation, SessionCall& call) {
  auto facts = facts_of(operation, call);
  if (!facts) return fail(in_words_of(kind_of(call), std::move(facts).error()));
  SessionAnswer answer{std::move(*facts), {}};
  answer.summary = text_in(answer.state, "summary");
  answer.state.erase("summary");
  const auto id = find_string(answer.state, "id");
  if (operation.effect == operations::Effect::removes && id) answer.state["sessionId"] = std::string(*id);
  return answer;
}

SessionOperation::Session session_of(const operations::Operation& operation) {
  const operations::Parameter* named = find(operation.parameters, "session");
  if (!named) return SessionOperation::Session::none;
  return named->required ? SessionOperation::Session::required : SessionOperation::Session::optional;
}

}  // namespace

Error in_words_of(std::string_view kind, Error error) {
  if (error.code == "VALIDATION_ERROR") error.code = "invalid_argument";  // the tool's own word, for every kind
  const bool own = kind == session::kThread || kind == session::kResearch;
  if (own && error.code == "gone") error.code = "GONE";
  if (!own && (error.code == "INVALID_STATE_TRANSITION" || error.code == "DELETED")) error.code.clear();
  return error;
}

void SessionOperations::add(SessionOperation operation) {
  operations_.push_back(std::move(operation));
}

void SessionOperations::add(std::span<const operations::Operation> family) {
  for (const operations::Operation& each : family) add(each, std::string(each.kind));
}

void SessionOperations::add(const operations::Operation& operation, std::string kind) {
  for (const operations::Parameter& each : operation.parameters)
    if (each.name != "session" && !arguments_.contains(argument_of(each.name)))
      add_argument(argument_of(each.name), argument::schema_of(each));
  add(SessionOperation{std::string(action_of(operation)), std::move(kind), session_of(operation),
                       [&operation](SessionCall& call) { return answer_of(operation, call); }, operation.scope,
                       std::string(operation.name)});
}

void SessionOperations::add_core() {
  add(operations::listing_operations());
  add(operations::reading_operations());
  add(operations::changing_operations());
  add(operations::note_operations());
  for (const operations::Operation& each : operations::note_operations()) add(each, std::string(session::kTranscript));
  add(operations::removal_operations());
  for (const operations::Operation& each : operations::care_operations())
    if (each.name != "cleanup") add(each, {});
}

void SessionOperations::add_argument(std::string name, JsonObject schema) {
  arguments_[name] = std::move(schema);
}

bool SessionOperations::is_outside(std::string_view kind) const {
  return std::ranges::find(outside_, kind) != outside_.end();
}

const SessionOperation* SessionOperations::find(std::string_view name, std::string_view kind) const {
  const SessionOperation* general = nullptr;
  for (const SessionOperation& each : operations_) {
    if (each.name != name) continue;
    if (kind.empty()) {
      if (each.session != SessionOperation::Session::required && !is_outside(each.kind)) return &each;
    } else if (each.kind == kind) {
      return &each;
    } else if (each.kind.empty() && !is_outside(kind)) {
      general = &each;
    }
  }
  return general;
}

bool SessionOperations::knows(std::string_view name) const {
  return std::ranges::any_of(operations_, [&](const SessionOperation& each) { return each.name == name; });
}

Scope SessionOperations::scope_of(std::string_view name) const {
  const auto known = std::ranges::find(operations_, name, &SessionOperation::name);
  return known == operations_.end() ? Scope::write : known->scope;
}

std::map<std::string, std::string> SessionOperations::rows() const {
  std::map<std::string, std::string> rows;
  for (const SessionOperation& each : operations_)
    if (const auto [known, fresh] = rows.emplace(each.name, each.row); !fresh && each.row.empty()) known->second.clear();
  return rows;
}

std::vector<std::string> SessionOperations::names_for(std::string_view kind) const {
  std::vector<std::string> names;
  for (const SessionOperation& each : operations_) {
    if (!kind.empty() && each.kind != kind && (!each.kind.empty() || is_outside(kind))) continue;
    if (std::ranges::find(names, each.name) == names.end()) names.push_back(each.name);
  }
  return names;
}

JsonObject SessionOperations::item(const session::SessionRecord& record, Millis now) const {
  return operations::session_item(record, now, policy_);
}

}  // namespace holdfast::tools
