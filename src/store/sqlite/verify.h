#pragma once

// Is what is stored what was written? Reads everything, changes nothing.

#include "session/store.h"
#include "store/sqlite/db.h"
#include "store/tables/tables.h"

namespace holdfast::store {

// tables/verify.h, but a session that is in the table and not in the index of ids is corrupt, and not something that is not
// there.
Result<session::Verification> verify_indexed_session(Db& db, Tables& tables, std::string_view id);

// SQLite's own check of the file, the counts that lists show, then every session.
Result<session::Integrity> verify_store(Db& db);

}  // namespace holdfast::store
