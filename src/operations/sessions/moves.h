#pragma once

// Archive, unarchive, restore, pin and unpin by their names, for the tools `session` and `research` and the command line.

#include "session/life/lifecycle.h"

#include <string_view>

namespace holdfast::operations {

// One of "archive", "unarchive", "restore", "pin", "unpin" in a transaction of its own. expected_rev: conflict unless it is the
// record's. Errors: those of lifecycle.h.
Result<session::Moved> make_move(session::Store& store, std::string_view id, std::string_view move,
                                 std::optional<std::int64_t> expected_rev = {});

// INVALID_STATE_TRANSITION, naming what would be possible, unless the move would change the record.
Result<void> check_move(const session::SessionRecord& record, std::string_view move);

}  // namespace holdfast::operations
