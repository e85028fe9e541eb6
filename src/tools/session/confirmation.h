#pragma once

// The gate before delete, purge and redact, as an MCP client meets it (threads-and-research §7).
//
// Who can show a form is asked with one: a modern client by an input_required result, a legacy one by elicitation/create inside
// the call. Everybody else, and a client that answers our question with an error, gets a token and calls again with it and the
// user's choice; the setting gate.fallback can forbid that. Nothing happens on a single call, and no argument named `confirm`
// means anything.
//
// A handler that calls pass() may be run again any number of times.

#include "mcp/server/call.h"
#include "operations/sessions/removing.h"
#include "session/query/store_view.h"

#include <chrono>

namespace holdfast::tools {

struct GateSettings {
  bool token_fallback = true;  // gate.fallback: token; false: refuse
  std::chrono::milliseconds patience{300'000};
  Millis token_ttl = session::kGateTokenTtl;
};

class Confirmation {
 public:
  // The store and the policy outlive it.
  Confirmation(const session::SharedStore& stores, const session::RetentionPolicy& policy, GateSettings settings)
      : stores_(stores), policy_(policy), settings_(settings) {}

  // {outcome, deleted, id, ...}, and as `summary` what the model should do next. tool: the name it is called by. Errors:
  // CONFIRMATION_INVALID, CONFIRMATION_EXPIRED, CONFIRMATION_UNAVAILABLE (refused); operations::asked(); those of the store. With
  // all of them nothing has happened.
  Result<JsonObject> pass(mcp::Call& call, std::string_view tool, const operations::GatedAction& action, Millis now) const;

  const session::RetentionPolicy& policy() const { return policy_; }

 private:
  Result<JsonObject> ask(mcp::Call& call, std::string_view tool, const operations::GatedAction& action, Millis now) const;
  Result<JsonObject> second_step(mcp::Call& call, std::string_view tool, const operations::GatedAction& action,
                                 std::string_view token, Millis now) const;
  Result<JsonObject> offer_token(std::string_view tool, const std::string& principal, const operations::GatedAction& action,
                                 Millis now, bool changed) const;
  // nullopt: a record has changed since the question was put.
  Result<std::optional<JsonObject>> act(const mcp::Call& call, const operations::GatedAction& action,
                                        const session::GateBinding& binding, std::string_view token,
                                        std::string_view choice) const;

  const session::SharedStore& stores_;
  const session::RetentionPolicy& policy_;
  GateSettings settings_;
};

// Properties of an input schema that pass() reads.
JsonObject confirmation_arguments();

}  // namespace holdfast::tools
