#pragma once

// Entries in the tables of SQLite.

#include "store/sqlite/rows/record_rows.h"
#include "store/tables/entry_row.h"

namespace holdfast::store {

// Completes `entry` (seq, hash) as the next one of `row`, inserts it, counts it, and moves row.entries
// and row.head; the caller writes the row. `sequence` is the store-wide number.
Result<session::Entry> insert_entry(Db& db, SessionRow& row, session::NewEntry entry, std::int64_t sequence);

Result<session::EntryPage> read_entries(Db& db, const SessionRow& row, const session::EntryQuery& query);
Result<std::optional<session::Entry>> find_entry(Db& db, const SessionRow& row, std::int64_t seq);
Result<std::optional<session::Entry>> find_entry(Db& db, const SessionRow& row, std::string_view lane, std::int64_t number);
Result<std::optional<session::Entry>> find_entry_by_key(Db& db, const SessionRow& row, std::string_view key);

// Replaces text and data, keeps the mac, destroys the salt. not_found without such an entry. Returns
// its store-wide number.
Result<std::int64_t> redact_entry(Db& db, const SessionRow& row, std::int64_t seq, std::string_view text, std::string_view data);

}  // namespace holdfast::store
