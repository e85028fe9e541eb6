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
  Result<session::Page> list(const session::Query& query) override;
  Result<session::EntryPage> read_entries(const SessionRow& row, const session::EntryQuery& query) override;
  Result<void> each_entry(const SessionRow& row, const OnEntry& on_entry) override;

 private:
  Connection& connection_;
  std::string_view secret_;
};

// decode_session reads these of `sessions`. The number of the last change is given out at the commit, when the checksum has been
// made, and is no part of it.
const std::string& session_columns();

// A session with its texts and tallies in one statement: one moment without a transaction around it, and one message instead of
// three for what every call of a tool asks for.
Statement select_whole_row(std::string_view id);                     // at most one row
Statement select_whole_rows(const std::vector<std::int64_t>& keys);  // in any order

SessionRow decode_whole_row(const Row& row);
// Only what `sessions` does not have.
void decode_rest(const Row& row, session::SessionRecord& record);

}  // namespace holdfast::store::postgres
