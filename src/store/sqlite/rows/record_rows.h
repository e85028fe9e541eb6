#pragma once

// Session records in the tables of SQLite: `sessions` (what every append changes and every list looks at), and beside
// it `session_texts`, `roots`, `tags`, `tallies`.

#include "store/sqlite/db.h"
#include "store/tables/session_row.h"

namespace holdfast::store {

Result<std::optional<SessionRow>> find_row(Db& db, std::string_view id);
Result<std::optional<SessionRow>> find_row(Db& db, std::int64_t key);
// The next ones in the order of their ids.
Result<std::vector<SessionRow>> rows_after(Db& db, std::string_view id, std::size_t limit);

// Adds texts and tallies to row.record.
Result<void> load_rest(Db& db, SessionRow& row);

// A new row with its texts, roots and tags; sets row.key.
Result<void> insert_row(Db& db, SessionRow& row);
// Everything a change of the record may touch.
Result<void> update_row(Db& db, SessionRow& row);
// What an append changes: clocks, rev, due_at, entries and head.
Result<void> update_head(Db& db, SessionRow& row);
// The record with all that belongs to it, entries included.
Result<void> erase_row(Db& db, const SessionRow& row);

}  // namespace holdfast::store
