#pragma once

// Is what is stored what was written? Reads everything, changes nothing.

#include "session/store.h"
#include "store/sqlite/db.h"

namespace holdfast::store {

// The record's checksums, every entry's hash, that the hashes follow each other up to the one the
// record remembers, that no seq is missing, and that the tallies are right. not_found.
Result<session::Verification> verify_session(Db& db, std::string_view id);

// SQLite's own check of the file, the counts that lists show, then every session.
Result<session::Integrity> verify_store(Db& db);

}  // namespace holdfast::store
