#pragma once

// Changing the record of a session through the `session` tool: what the kinds share.

#include "session/life/lifecycle.h"
#include "tools/session/session_operations.h"

namespace holdfast::tools {

// Applies a change to what is stored now; one that changes nothing writes nothing, so that rev stands still. `expectedRev` of the
// call must hold. The edit may run more than once. `then`, when given, follows in the same transaction.
using RecordEdit = std::function<Result<bool>(session::SessionRecord&, Millis now)>;
using RecordMove = std::function<Result<session::Moved>(session::Transaction&, const session::SessionRecord&)>;
Result<SessionAnswer> change_record(SessionCall& call, const RecordEdit& edit, const RecordMove& then = {});

// title, description, tags, addTags, removeTags; true when something changed.
bool edit_common_fields(session::SessionRecord& record, const JsonObject& arguments);

}  // namespace holdfast::tools
