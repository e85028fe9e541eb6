#pragma once

// The operations of `session` that need no knowledge of a kind.

#include "tools/session_operations.h"

namespace holdfast::tools {

void add_read_operations(SessionOperations& operations);    // list get search verify
void add_change_operations(SessionOperations& operations);  // update pin unpin archive unarchive delete restore

}  // namespace holdfast::tools
