#pragma once

// The operations of `session` that need no knowledge of a kind.

#include "tools/session/confirmation.h"
#include "tools/session/session_operations.h"

namespace holdfast::tools {

void add_read_operations(SessionOperations& operations);    // get search verify
void add_list_operations(SessionOperations& operations);    // list pick
Result<SessionAnswer> answer_list(SessionCall& call);       // also for kinds that bring a list of their own
void add_change_operations(SessionOperations& operations);  // update pin unpin archive unarchive restore
void add_notice_operations(SessionOperations& operations);  // notices notices-ack
// delete purge redact. The gate outlives the server.
void add_gate_operations(SessionOperations& operations, const Confirmation& confirmation);

}  // namespace holdfast::tools
