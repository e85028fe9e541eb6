#pragma once

// Tables over one connection, for reading. Most functions ask one statement, which sees one moment by itself; for list(),
// each_entry() and whatever asks several, the caller has begun a transaction whose statements see one moment.

#include "store/postgres/connection.h"
#include "store/tables/sql_tables.h"

namespace holdfast::store::postgres {

class ReadTables final : public SqlTables<Tables> {
 public:
  // The store's secret authenticates the cursors of lists.
  ReadTables(Connection& connection, std::string_view secret);

  Result<void> load_rest(SessionRow& row) override;
  Result<std::optional<SessionRow>> find_whole_row(std::string_view id) override;
  Result<session::Page> list(const session::Query& query) override;  // list.cpp
  Result<session::EntryPage> read_entries(const SessionRow& row, const session::EntryQuery& query) override;
  Result<void> each_entry(const SessionRow& row, const OnEntry& on_entry) override;

 private:
  Connection& connection_;
  std::string_view secret_;
};

// decode_session reads these of `sessions`. The number of the last change is given out at the commit, when the checksum has been
// made, and is no part of it.
const std::string& session_columns();

}  // namespace holdfast::store::postgres
