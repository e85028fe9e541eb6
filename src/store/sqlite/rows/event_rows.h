#pragma once

// Events are not stored: they are what has a higher sequence number than the reader has seen. Entries
// have one each, records the one of their last change, tombstones that of the purge; so the highest
// number given out is always found again, also after a purge.

#include "session/events.h"
#include "store/sqlite/db.h"

namespace holdfast::store {

Result<std::vector<session::Event>> read_events_after(Db& db, std::int64_t sequence, std::size_t limit);
Result<std::int64_t> read_last_sequence(Db& db);

}  // namespace holdfast::store
