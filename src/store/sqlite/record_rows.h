#pragma once

// Session records as rows: `sessions` (what every append changes and every list looks at), and beside
// it `session_texts`, `roots`, `tags`, `tallies`.
//
// Rows of the first two carry a checksum over all their columns. A row that does not fit it is still
// read, and marked damaged: it stays in lists, and nothing is written to it any more.

#include "base/hash.h"
#include "session/record.h"
#include "store/sqlite/db.h"

namespace holdfast::store {

// A row of `sessions`. Of the record it holds everything but description, opening, data and tallies.
struct SessionRow {
  std::int64_t key = 0;
  session::SessionRecord record;
  std::int64_t changed = 0;          // store-wide sequence number of the last change of the record
  std::int64_t entries = 0;          // seq of the last entry
  Digest head{};                     // its hash, or the start of the chain
  std::int64_t shelf = 0;            // where it stands (shelves.h); 0: nowhere yet
  std::optional<Millis> stored_due;  // due_at as it is in the file: to be written only when it moved
};

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
