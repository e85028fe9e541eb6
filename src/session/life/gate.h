#pragma once

// The gate before delete, purge and redact (threads-and-research §7): what is asked, and the token that proves the question was
// put.
//
// A token is bound to tool, action, session, its rev, what exactly would be done, and the principal; it lives for a while and
// passes once. Who carries it does not matter: a client's requestState, or a model that repeats it in the second call. How the
// question reaches a person depends on the client and is not known here (tools/session/confirmation.h, cli/).

#include "session/life/retention.h"
#include "session/store.h"

#include <string>
#include <string_view>
#include <vector>

namespace holdfast::session {

inline constexpr Millis kGateTokenTtl = 600'000;

enum class GateAction { remove, purge, redact };
std::string_view name_of(GateAction action);  // "delete", "purge", "redact"

struct GateQuestion {
  GateAction action = GateAction::remove;
  std::string session;
  std::string prompt;                // what would go, and until when it can come back; for a person
  std::vector<std::string> choices;  // "delete", "keep", "archive": the first does it, "keep" is the default
  bool confirm_id = false;           // purge: the id must be typed
};

// How many and what: "3 messages", "report and 42 sources", "12 thoughts".
std::string contents_of(const SessionRecord& record);
// Several records are one question with every one of them named (bulk delete).
GateQuestion make_question(GateAction action, const std::vector<SessionRecord>& records, const RetentionPolicy& policy,
                           Millis now, std::string_view what = {});

// What the token binds beside the records; `what` is a digest of further arguments (a redaction pattern).
struct GateBinding {
  std::string tool;
  GateAction action = GateAction::remove;
  std::string principal;
  std::string what;
};

struct GateToken {
  std::string text;
  Millis expires_at = 0;
};
GateToken make_token(std::string_view secret, const GateBinding& binding, const std::vector<SessionRecord>& records, Millis now,
                     Millis ttl = kGateTokenTtl);

// Inside the transaction that acts, so that a token cannot pass twice: checks and uses it up. Errors: refused with code
// CONFIRMATION_INVALID (not ours, another id, action, principal; used before), CONFIRMATION_EXPIRED; conflict with code
// CONFIRMATION_CHANGED when a record has another rev by now: ask again.
Result<void> use_token(Transaction& transaction, std::string_view secret, std::string_view token, const GateBinding& binding,
                       const std::vector<SessionRecord>& records, Millis now);

}  // namespace holdfast::session
