// delete, purge, redact: what takes something away, behind the gate (design 8.8).

#include "session/query/lookup.h"
#include "tools/session/core_operations.h"
#include "tools/session/session_arguments.h"
#include "tools/session/session_errors.h"

#include <fmt/format.h>

#include <set>

namespace holdfast::tools {

namespace {

using session::GateAction;

constexpr std::size_t kMostAtOnce = 50;  // one question names every one of them, and a person reads it

Result<std::vector<session::SessionRecord>> named_records(SessionCall& call, std::string_view operation) {
  std::vector<session::SessionRecord> records;
  if (call.record) records.push_back(*call.record);
  std::set<std::string> seen;
  for (const session::SessionRecord& record : records) seen.insert(record.id);
  for (const std::string& id : texts_of(call.arguments(), "sessionIds")) {
    HF_TRY(session::SessionRecord record, session::find_session(call.store, call.principal(), id));
    if (seen.insert(record.id).second) records.push_back(std::move(record));
  }
  if (records.empty())
    return fail(ErrorKind::invalid, fmt::format("{} needs a sessionId", operation), "operation list shows the sessions",
                "invalid_argument");
  if (records.size() > kMostAtOnce)
    return fail(ErrorKind::invalid, fmt::format("{} sessions at once are too many to ask about", records.size()),
                fmt::format("at most {}", kMostAtOnce), "invalid_argument");
  if (records.size() > 1 && operation != "delete")
    return fail(ErrorKind::invalid, fmt::format("{} takes one session", operation), {}, "invalid_argument");
  return records;
}

Result<SessionAnswer> through_the_gate(SessionCall& call, const Confirmation& confirmation, GateAction kind) {
  operations::GatedAction action;
  action.action = kind;
  HF_TRY(action.records, named_records(call, name_of(kind)));
  if (auto expected = find_int(call.arguments(), "expectedRev"); expected && *expected != action.records.front().rev)
    return fail(ErrorKind::conflict, fmt::format("the session is at rev {}, not {}", action.records.front().rev, *expected),
                "get it again and decide anew");
  if (kind == GateAction::redact) action.redaction = redaction_of(call.arguments());
  auto outcome = confirmation.pass(call.call, "session", action, call.now);
  if (!outcome) return fail(in_words_of(action.records.front().kind, std::move(outcome).error()));
  if (outcome->input_required) return SessionAnswer{{}, {}, true};
  if (action.records.size() == 1) outcome->data["sessionId"] = action.records.front().id;
  return SessionAnswer{std::move(outcome->data), std::move(outcome->summary), false};
}

}  // namespace

void add_gate_operations(SessionOperations& operations, const Confirmation& confirmation) {
  for (const GateAction action : {GateAction::remove, GateAction::purge, GateAction::redact})
    operations.add(
        {std::string(name_of(action)), {}, SessionOperation::Session::optional, [&confirmation, action](SessionCall& call) {
           return through_the_gate(call, confirmation, action);
         }});
  for (const auto& argument : confirmation_arguments())
    operations.add_argument(std::string(argument.key()), argument.value().as_object());
  for (const auto& argument : redaction_arguments())
    operations.add_argument(std::string(argument.key()), argument.value().as_object());
  operations.add_argument("sessionIds", {{"type", "array"},
                                         {"items", JsonObject{{"type", "string"}}},
                                         {"description", "delete: several, with one question for all"}});
}

}  // namespace holdfast::tools
