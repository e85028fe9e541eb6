#pragma once

// WritableTables over one SQLite connection. Whoever makes it has begun a transaction on the connection, so that several
// statements see one moment, and keeps other threads away from it.

#include "store/sqlite/db.h"
#include "store/sqlite/lists/catalogue.h"
#include "store/tables/tables.h"

namespace holdfast::store {

class SqliteTables final : public WritableTables {
 public:
  // For reading. The store's secret authenticates the cursors of lists; the catalogue is that of committed sessions.
  explicit SqliteTables(Db& db, std::string_view secret = {}, Catalogue* catalogue = nullptr)
      : db_(db), secret_(secret), catalogue_(catalogue) {}
  // For writing. `sequence` is the last store-wide number given out; it grows with every entry and record change.
  SqliteTables(Db& db, std::string_view secret, std::int64_t& sequence) : db_(db), secret_(secret), sequence_(&sequence) {}

  Result<std::optional<SessionRow>> find_row(std::string_view id) override;
  Result<void> load_rest(SessionRow& row) override;
  Result<std::vector<std::string>> ids_with_prefix(const session::IdQuery& query) override;
  Result<session::Page> list(const session::Query& query) override;
  Result<std::optional<session::Tombstone>> find_tombstone(std::string_view id) override;
  Result<session::EntryPage> read_entries(const SessionRow& row, const session::EntryQuery& query) override;
  Result<std::optional<session::Entry>> find_entry(const SessionRow& row, std::int64_t seq) override;
  Result<std::optional<session::Entry>> find_numbered(const SessionRow& row, std::string_view lane, std::int64_t number) override;
  Result<std::optional<session::Entry>> find_by_key(const SessionRow& row, std::string_view key) override;
  Result<void> each_entry(const SessionRow& row, const OnEntry& on_entry) override;
  Result<std::vector<session::LineageEvent>> lineage_of(std::string_view session) override;
  Result<std::optional<session::KeyedValue>> find_value(std::string_view space, std::string_view key, Millis now) override;
  Result<std::vector<session::KeyedValue>> list_values(const session::ValueQuery& query, Millis now) override;
  Result<std::optional<session::Lease>> find_lease(std::string_view name) override;

  std::int64_t next_sequence() override { return ++*sequence_; }
  Result<std::vector<SessionRow>> rows_after(std::string_view id, std::size_t limit) override;
  Result<bool> is_taken(std::string_view id) override;
  Result<void> insert_row(SessionRow& row) override;
  Result<void> update_row(SessionRow& row, const session::SessionRecord& before) override;
  Result<void> update_head(SessionRow& row) override;
  Result<void> erase_row(const SessionRow& row, const session::Tombstone& tombstone, std::int64_t changed) override;
  Result<void> note_recount() override;
  Result<session::Entry> insert_entry(SessionRow& row, session::NewEntry entry) override;
  Result<void> redact_entry(const SessionRow& row, std::int64_t seq, std::string_view text, std::string_view data) override;
  Result<session::LineageEvent> insert_lineage(session::LineageEvent event) override;
  Result<std::int64_t> value_rev(std::string_view space, std::string_view key, Millis now) override;
  Result<void> write_value(const session::KeyedValue& value) override;
  Result<void> erase_value(std::string_view space, std::string_view key) override;
  Result<std::int64_t> purge_values(Millis now, std::size_t limit) override;
  Result<void> write_lease(const session::Lease& lease) override;

  // At the end of a transaction after which old bytes must be gone: the former texts of the records it updated are among them.
  Result<void> note_erasures();

 private:
  Db& db_;
  std::string_view secret_;
  Catalogue* catalogue_ = nullptr;
  std::int64_t* sequence_ = nullptr;
  std::vector<std::pair<std::int64_t, std::int64_t>> updated_;  // number and key of records
};

}  // namespace holdfast::store
