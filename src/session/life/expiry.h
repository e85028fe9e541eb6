#pragma once

// Removes keyed values whose time has passed. They are not found any more at that instant; this gives their
// bytes back. Any process may do it, several at once do no harm.

#include "session/store.h"

namespace holdfast::session {

// All that have expired, in transactions small enough that writers hardly notice; returns how many. Blocks.
Result<std::int64_t> sweep_expired(Store& store);

}  // namespace holdfast::session
