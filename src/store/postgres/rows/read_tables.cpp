#include "store/postgres/rows/read_tables.h"

#include "session/limits.h"
#include "store/postgres/rows/whole_row.h"
#include "store/tables/condition.h"

#include <fmt/format.h>

#include <limits>

namespace holdfast::store::postgres {

using session::Entry;

namespace {

// Entries in this order, at most as many as the last mark says. Those behind the first kEntryPageBytes come without text and
// data: memory follows the page, not the longest session.
std::string page_of_entries(std::string_view condition, std::string_view order) {
  return fmt::format(
      "SELECT sequence, seq, type, lane, number, time, author, run, key, previous, hash, salt, mac, "
      "CASE WHEN before < {0} THEN data END, CASE WHEN before < {0} THEN text END, before < {0} FROM "
      "(SELECT {1}, sum(length(text) + length(data)) OVER (ORDER BY {2}) - length(text) - length(data) AS before "
      "FROM entries WHERE {3} ORDER BY {2} LIMIT ?) AS page ORDER BY {2}",
      session::kEntryPageBytes, kEntryColumns, order, condition);
}
bool is_whole(const Row& row) {
  return row.integer(15) != 0;
}

}  // namespace

const std::string& session_columns() {
  static const std::string columns = [] {
    std::string all(kSessionColumns);
    constexpr std::string_view kChanged = " changed,";
    return all.replace(all.find(kChanged), kChanged.size(), " 0::int8,");
  }();
  return columns;
}

ReadTables::ReadTables(Connection& connection, std::string_view secret)
    : SqlTables(connection,
                []() -> const SessionStatements& {
                  static const SessionStatements statements(session_columns());
                  return statements;
                }()),
      connection_(connection),
      secret_(secret) {}

Result<void> ReadTables::load_rest(SessionRow& row) {
  HF_TRY(const Answer rows, connection_.ask(select_whole_row(row.record.id)));
  if (rows.empty()) return fail(ErrorKind::not_found, fmt::format("there is no session {}", row.record.id));
  decode_rest(rows[0], row.record);
  return {};
}

Result<std::optional<SessionRow>> ReadTables::find_whole_row(std::string_view id) {
  HF_TRY(const Answer rows, connection_.ask(select_whole_row(id)));
  if (rows.empty()) return std::nullopt;
  return decode_whole_row(rows[0]);
}

Result<session::EntryPage> ReadTables::read_entries(const SessionRow& row, const session::EntryQuery& query) {
  const bool forward = query.direction == session::Direction::forward;
  std::string condition = fmt::format("session = ? AND seq {} ?", forward ? ">=" : "<=");
  std::vector<Param> values{row.key, query.from != 0 || forward ? query.from : row.entries};
  if (query.lane) {
    condition += " AND lane = ?";
    values.emplace_back(*query.lane);
  }
  if (!query.types.empty()) {
    condition += fmt::format(" AND type IN {}", marks(query.types.size()));
    values.insert(values.end(), query.types.begin(), query.types.end());
  }
  values.emplace_back(query.limit + 1);
  HF_TRY(const Answer rows, connection_.ask(page_of_entries(condition, forward ? "seq" : "seq DESC"), std::move(values)));
  session::EntryPage page;
  for (int i = 0; i < rows.size(); ++i) {
    if (page.entries.size() >= query.limit || !is_whole(rows[i])) {
      page.next = rows[i].integer(1);
      return page;
    }
    page.entries.push_back(read_entry(rows[i], row.record.id));
  }
  return page;
}

Result<void> ReadTables::each_entry(const SessionRow& row, const OnEntry& on_entry) {
  static const std::string sql = page_of_entries("session = ? AND seq > ?", "seq");
  std::int64_t after = std::numeric_limits<std::int64_t>::min();
  while (true) {
    HF_TRY(const Answer rows, connection_.ask(sql, {row.key, after, session::kMaxEntryLimit}));
    if (rows.empty()) return {};
    for (int i = 0; i < rows.size() && is_whole(rows[i]); ++i) {
      const Entry entry = read_entry(rows[i], row.record.id);
      after = entry.seq;
      on_entry(entry, previous_hash(rows[i]));
    }
  }
}

}  // namespace holdfast::store::postgres
