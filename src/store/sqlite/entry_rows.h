#pragma once

// Entries as rows. Every row carries the hash before it and its own, so one read by itself already
// shows whether its bytes are those that were written; that the hashes follow each other is verify's
// question.

#include "session/chain.h"
#include "store/sqlite/record_rows.h"

namespace holdfast::store {

// Completes `entry` (seq, hash) as the next one of `row`, inserts it, counts it, and moves row.entries
// and row.head; the caller writes the row. `sequence` is the store-wide number.
Result<session::Entry> insert_entry(Db& db, SessionRow& row, session::NewEntry entry, std::int64_t sequence);

// Rows decoded by read_entry must select kEntryColumns.
extern const std::string_view kEntryColumns;
session::Entry read_entry(const Rows& rows, std::string_view session_id);
Digest previous_hash(const Rows& rows);

Result<session::EntryPage> read_entries(Db& db, const SessionRow& row, const session::EntryQuery& query);
Result<std::optional<session::Entry>> find_entry(Db& db, const SessionRow& row, std::int64_t seq);
Result<std::optional<session::Entry>> find_entry(Db& db, const SessionRow& row, std::string_view lane, std::int64_t number);
Result<std::optional<session::Entry>> find_entry_by_key(Db& db, const SessionRow& row, std::string_view key);

// Replaces text and data, keeps the mac, destroys the salt. not_found without such an entry. Returns
// its store-wide number.
Result<std::int64_t> redact_entry(Db& db, const SessionRow& row, std::int64_t seq, std::string_view text, std::string_view data);

}  // namespace holdfast::store
