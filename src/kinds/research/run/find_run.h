#pragma once

// A run by its id, for whom it belongs to; what belongs to others does not exist for them.

#include "session/store.h"

#include <string_view>

namespace holdfast::research {

// Errors: not_found (also for a session of another kind; code GONE when it was purged), refused with code DELETED.
Result<session::SessionRecord> find_run(session::Reader& reader, std::string_view principal, std::string_view id);

}  // namespace holdfast::research
