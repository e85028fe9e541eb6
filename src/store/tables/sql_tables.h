#pragma once

// The tables as far as both databases are read in the same words. A backend adds what it can do better in its own.

#include "store/tables/sql.h"
#include "store/tables/tables.h"

namespace holdfast::store {

// Rows of the small tables beside sessions and entries: lineage, keyed values, leases, tombstones.
// number, child, parent, how, time, details. Details that cannot be read do not hide that the event took place.
session::LineageEvent decode_lineage(const Columns& columns);
// key, value, rev, updated_at, expires_at. corrupt when the value cannot be read.
Result<session::KeyedValue> decode_value(const Columns& columns, std::string_view space);
// host, pid, started, token, epoch, renewed_boot, renewed_wall, ttl.
session::Lease decode_lease(const Columns& columns, std::string_view name);
// kind, principal, deleted_at, purged_at, reason.
session::Tombstone decode_tombstone(const Columns& columns, std::string_view id);

// What reads rows of `sessions`, each made once for a backend.
struct SessionStatements {
  explicit SessionStatements(std::string_view columns);
  std::string by_id, by_key, after_id;
};

// Base: Tables or WritableTables.
template <class Base>
class SqlTables : public Base {
 public:
  Result<std::optional<SessionRow>> find_row(std::string_view id) override;
  Result<std::vector<SessionRow>> rows_after(std::string_view id, std::size_t limit) override;
  Result<std::vector<std::string>> ids_with_prefix(const session::IdQuery& query) override;
  Result<std::optional<session::Tombstone>> find_tombstone(std::string_view id) override;
  Result<std::optional<session::Entry>> find_entry(const SessionRow& row, std::int64_t seq) override;
  Result<std::optional<session::Entry>> find_numbered(const SessionRow& row, std::string_view lane, std::int64_t number) override;
  Result<std::optional<session::Entry>> find_by_key(const SessionRow& row, std::string_view key) override;
  Result<std::vector<session::LineageEvent>> lineage_of(std::string_view session) override;
  Result<std::optional<session::KeyedValue>> find_value(std::string_view space, std::string_view key, Millis now) override;
  Result<std::vector<session::KeyedValue>> list_values(const session::ValueQuery& query, Millis now) override;
  Result<std::optional<session::Lease>> find_lease(std::string_view name) override;

 protected:
  // Both outlive the tables.
  SqlTables(Sql& sql, const SessionStatements& statements) : sql_(sql), statements_(statements) {}
  // Of the columns that the statements name.
  virtual SessionRow decode_row(const Columns& columns) const { return decode_session(columns); }

  Sql& sql_;
  const SessionStatements& statements_;
};

}  // namespace holdfast::store
