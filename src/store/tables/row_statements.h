#pragma once

// What writes sessions, entries and the small tables, in words that both databases understand.
//
// Each puts one statement or a few on `sql`. Where the databases differ, the caller says how: `number` is what `changed` and
// `sequence` become ("?" is the number in the row, else what gives one out), `words` what PostgreSQL indexes beside a text.

#include "session/store.h"
#include "store/tables/session_row.h"
#include "store/tables/sql.h"

namespace holdfast::store {

// Columns that an update names only when they moved: naming one writes its index.
struct Moved {
  bool due = true;
  bool bucket = false;  // of SQLite (buckets.h)
};

Result<void> insert_session(SqlWriter& sql, const SessionRow& row, std::string_view number, bool has_bucket);
Result<void> update_session(SqlWriter& sql, const SessionRow& row, std::string_view number, const Moved& moved);
// What an append changes; takes no number.
Result<void> update_session_head(SqlWriter& sql, const SessionRow& row, const Moved& moved);
// Description, opening, data and what a list's text filter looks into.
Result<void> write_session_texts(SqlWriter& sql, const SessionRow& row, const std::optional<SqlValue>& words);
// `roots` and `tags`, as far as they differ from those of `before` (nullptr: there are none yet).
Result<void> write_session_lookups(SqlWriter& sql, const SessionRow& row, const session::SessionRecord* before,
                                   const Moved& moved);
// With all that belongs to it; the tombstone takes its place.
Result<void> erase_session(SqlWriter& sql, const SessionRow& row, const session::Tombstone& tombstone, std::string_view number,
                           std::int64_t changed);

Result<void> insert_entry_row(SqlWriter& sql, const SessionRow& row, const NextEntry& next, std::string_view number,
                              const std::optional<SqlValue>& words);
// Adds to what was counted before.
Result<void> add_to_tally(SqlWriter& sql, std::int64_t session, const session::Tally& more);

Result<session::LineageEvent> insert_lineage_event(Sql& sql, session::LineageEvent event);
// 0: there is none, or it has expired.
Result<std::int64_t> read_value_rev(Sql& sql, std::string_view space, std::string_view key, Millis now);
Result<void> write_keyed_value(SqlWriter& sql, const session::KeyedValue& value);
Result<void> erase_keyed_value(SqlWriter& sql, std::string_view space, std::string_view key);
Result<void> write_lease_row(SqlWriter& sql, const session::Lease& lease);

}  // namespace holdfast::store
