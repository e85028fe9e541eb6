#pragma once

// delete, purge, redact (threads-and-research §7, §13): an operation finds out what is to be taken away, Context::confirm asks a
// person in the way of its surface and then does what they chose with what is here.

#include "session/life/erase.h"
#include "session/life/gate.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::operations {

inline constexpr std::string_view kKeep = "keep", kArchiveInstead = "archive";

struct GatedAction {
  session::GateAction action = session::GateAction::remove;
  std::vector<session::SessionRecord> records;
  session::Redaction redaction;  // for redact

  std::vector<std::string> ids() const;
  // A digest of the arguments that change what is done; bound into the token.
  std::string digest() const;
  // "messages msg-1, msg-2", "what matches …": for the question.
  std::string described() const;
};

// Every record is in the wanted state already: there is nothing to ask.
bool is_done_already(const GatedAction& action);

// {outcome, deleted, id or ids, restorable_until, ...} of a choice that does something. Inside the transaction that used up the
// token. `fresh`: the records as they are now.
Result<JsonObject> perform(session::Transaction& transaction, const GatedAction& action,
                           const std::vector<session::SessionRecord>& fresh, std::string_view choice,
                           const session::RetentionPolicy& policy);
// The same members for an answer that does nothing: kept, declined, cancelled, timeout.
JsonObject nothing_done(const GatedAction& action, std::string_view outcome);
// {outcome: deleted, changed: false}: see is_done_already.
JsonObject done_already(const GatedAction& action, const session::RetentionPolicy& policy);

}  // namespace holdfast::operations
