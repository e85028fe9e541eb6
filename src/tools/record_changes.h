#pragma once

// Changing the record of a session through the `session` tool: what the kinds share.

#include "tools/session_operations.h"

namespace holdfast::tools {

// Applies a change to what is stored now; one that changes nothing writes nothing, so that rev stands still. `expectedRev` of the
// call must hold. The edit may run more than once.
Result<SessionAnswer> change_record(SessionCall& call,
                                    const std::function<Result<bool>(session::SessionRecord&, Millis now)>& edit);

// Puts it aside; false when it is already. Errors: refused (deleted).
Result<bool> archive_record(session::SessionRecord& record, Millis now);

// title, description, pinned, tags, addTags, removeTags; true when something changed.
bool edit_common_fields(session::SessionRecord& record, const JsonObject& arguments);

}  // namespace holdfast::tools
