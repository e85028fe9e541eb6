#include "tools/session/session_operations.h"

#include "tools/session/session_item.h"

#include <algorithm>

namespace holdfast::tools {

void SessionOperations::add(SessionOperation operation) {
  operations_.push_back(std::move(operation));
}

void SessionOperations::add_argument(std::string name, JsonObject schema) {
  arguments_[name] = std::move(schema);
}

void SessionOperations::add_item_fields(std::string kind, ItemFields fields) {
  item_fields_.insert_or_assign(std::move(kind), std::move(fields));
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

std::vector<std::string> SessionOperations::names_for(std::string_view kind) const {
  std::vector<std::string> names;
  for (const SessionOperation& each : operations_) {
    if (!kind.empty() && each.kind != kind && (!each.kind.empty() || is_outside(kind))) continue;
    if (std::ranges::find(names, each.name) == names.end()) names.push_back(each.name);
  }
  return names;
}

JsonObject SessionOperations::item(const session::SessionRecord& record, Millis now) const {
  JsonObject fields = session_item(record, now, policy_);
  if (auto own = item_fields_.find(record.kind); own != item_fields_.end()) own->second(record, fields);
  return fields;
}

}  // namespace holdfast::tools
