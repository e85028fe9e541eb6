#pragma once

// Tables over one connection, for reading. Most functions ask one statement, which sees one moment by itself; for list(),
// each_entry() and whatever asks several, the caller has begun a transaction whose statements see one moment.

#include "store/postgres/connection.h"
#include "store/tables/tables.h"

namespace holdfast::store::postgres {

class ReadTables final : public Tables {
 public:
  // The store's secret authenticates the cursors of lists.
  ReadTables(Connection& connection, std::string_view secret) : connection_(connection), secret_(secret) {}

  Result<std::optional<SessionRow>> find_row(std::string_view id) override;
  Result<void> load_rest(SessionRow& row) override;
  Result<std::optional<SessionRow>> find_whole_row(std::string_view id) override;
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

 private:
  Result<std::optional<session::Entry>> one_entry(const SessionRow& row, std::string_view condition, std::vector<Param> values);

  Connection& connection_;
  std::string_view secret_;
};

// decode_session reads these of `sessions`. The number of the last change is given out at the commit, when the checksum has been
// made, and is no part of it.
const std::string& session_columns();

}  // namespace holdfast::store::postgres
