#pragma once

// WritableTables over one SQLite connection: sessions (`sessions`, which every append changes and every list looks at, and beside
// it `session_texts`, `roots`, `tags` and `tallies`), entries, the small tables, lists (lists/list_rows.cpp). Whoever makes it
// has begun a transaction on the connection, so that several statements see one moment, and keeps other threads away from it.

#include "store/sqlite/db.h"
#include "store/tables/row_statements.h"
#include "store/tables/sql_tables.h"

namespace holdfast::store {

const SessionStatements& sqlite_session_statements();

class SqliteTables final : public SqlTables<WritableTables> {
 public:
  // For reading. The store's secret authenticates the cursors of lists.
  explicit SqliteTables(Db& db, std::string_view secret = {})
      : SqlTables(db, sqlite_session_statements()), db_(db), secret_(secret) {}
  // For writing. `sequence` is the last store-wide number given out; it grows with every entry and record change.
  SqliteTables(Db& db, std::string_view secret, std::int64_t& sequence) : SqliteTables(db, secret) { sequence_ = &sequence; }

  Result<std::optional<SessionRow>> find_row_by_key(std::int64_t key);
  Result<void> load_rest(SessionRow& row) override;
  // What the buckets know (lists/buckets.h) is answered from them; filters by text, tag, project and task look at every session:
  // 10 to 50 ms for 100,000 (docs/benchmarks.md).
  Result<session::Page> list(const session::Query& query) override;
  Result<session::EntryPage> read_entries(const SessionRow& row, const session::EntryQuery& query) override;
  Result<void> each_entry(const SessionRow& row, const OnEntry& on_entry) override;

  std::int64_t next_sequence() override { return ++*sequence_; }
  Result<bool> is_taken(std::string_view id) override;
  Result<void> insert_row(SessionRow& row) override;
  Result<void> update_row(SessionRow& row, const session::SessionRecord& before) override;
  Result<void> update_head(SessionRow& row) override;
  Result<void> erase_row(const SessionRow& row, const session::Tombstone& tombstone, std::int64_t changed) override;
  Result<session::Entry> insert_entry(SessionRow& row, session::NewEntry entry) override;
  Result<void> redact_entry(const SessionRow& row, std::int64_t seq, std::string_view text, std::string_view data) override;
  Result<session::LineageEvent> insert_lineage(session::LineageEvent event) override {
    return insert_lineage_event(db_, std::move(event));
  }
  Result<std::int64_t> value_rev(std::string_view space, std::string_view key, Millis now) override {
    return read_value_rev(db_, space, key, now);
  }
  Result<void> write_value(const session::KeyedValue& value) override { return write_keyed_value(db_, value); }
  Result<void> erase_value(std::string_view space, std::string_view key) override { return erase_keyed_value(db_, space, key); }
  Result<std::int64_t> purge_values(Millis now, std::size_t limit) override;
  Result<void> write_lease(const session::Lease& lease) override { return write_lease_row(db_, lease); }

  // At the end of a transaction after which old bytes must be gone: the former texts of the records it updated are among them.
  Result<void> note_erasures();

 protected:
  SessionRow decode_row(const Columns& columns) const override;

 private:
  Db& db_;
  std::string_view secret_;
  std::int64_t* sequence_ = nullptr;
  std::vector<std::pair<std::int64_t, std::int64_t>> updated_;  // number and key of records
};

}  // namespace holdfast::store
