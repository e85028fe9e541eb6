#include "tools/session/session_operations.h"

#include "operations/context.h"
#include "operations/sessions/session_item.h"
#include "tools/argument_schema.h"
#include "tools/argument_spelling.h"
#include "tools/session/session_errors.h"

#include <algorithm>

namespace holdfast::tools {

namespace {

std::string spelled(std::string_view parameter) {
  return parameter == "session" ? std::string("sessionId") : to_camel_case(parameter);
}

}  // namespace

operations::Given given_of(const operations::Operation& operation, const JsonObject& arguments) {
  operations::Given given;
  for (const operations::Parameter& each : operation.parameters)
    if (const Json* value = find(arguments, spelled(each.name))) given.set(each.name, *value);
  return given;
}

void SessionOperations::add(SessionOperation operation) {
  operations_.push_back(std::move(operation));
}

void SessionOperations::add(const operations::Operation& operation, std::string kind, Check before) {
  for (const operations::Parameter& each : operation.parameters)
    if (each.name != "session" && !arguments_.contains(spelled(each.name)))
      add_argument(spelled(each.name), argument::schema_of(each));
  const auto run = [&operation, before = std::move(before)](SessionCall& call) -> Result<SessionAnswer> {
    auto facts = [&]() -> Result<operations::Facts> {
      operations::Given given = given_of(operation, call.arguments());
      given.set("session", Json(call.record->id));
      if (before) HF_CHECK(before(call));
      HF_CHECK(check(operation, given));
      return operation.run(call.context, given);
    }();
    if (facts) return SessionAnswer{std::move(*facts), {}, false};
    Error error = in_words_of(call.record->kind, std::move(facts).error());
    operations::put_in_spelling_of(error, spelled);
    return fail(std::move(error));
  };
  const std::string_view name = operation.name;
  add(SessionOperation{std::string(name.substr(name.find(' ') + 1)), std::move(kind), SessionOperation::Session::required, run,
                       std::string(name)});
}

void SessionOperations::add_argument(std::string name, JsonObject schema) {
  arguments_[name] = std::move(schema);
}

void SessionOperations::add_outside(OutsideKind kind) {
  outside_.push_back(std::move(kind));
}

bool SessionOperations::is_outside(std::string_view kind) const {
  return std::ranges::find(outside_, kind, &OutsideKind::kind) != outside_.end();
}

catalogue::Asker SessionOperations::asker(const mcp::Caller& caller, session::Store& store) const {
  const transcripts::Keeper* keeper = nullptr;
  for (const OutsideKind& outside : outside_) keeper = outside.keeper(caller);
  return {[&store]() -> Result<session::Store*> { return &store; }, caller.principal, keeper};
}

catalogue::Asker SessionCall::asker() const {
  return operations.asker(call.caller(), store);
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
