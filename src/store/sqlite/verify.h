#pragma once

// Is what is stored what was written? Reads everything, changes nothing.

#include "session/store.h"
#include "store/sqlite/db.h"

namespace holdfast::store {

// SQLite's own check of the file, the counts that lists show, then every session.
Result<session::Integrity> verify_store(Db& db);

}  // namespace holdfast::store
