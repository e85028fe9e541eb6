#include "store/postgres/rows/read_tables.h"

#include "session/limits.h"
#include "store/postgres/rows/list.h"
#include "store/postgres/rows/whole_row.h"
#include "store/tables/condition.h"
#include "store/tables/side_row.h"

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

Result<std::optional<SessionRow>> ReadTables::find_row(std::string_view id) {
  static const std::string sql = fmt::format("SELECT {} FROM sessions WHERE id = ?", session_columns());
  HF_TRY(const Answer rows, connection_.ask(sql, {id}));
  if (rows.empty()) return std::nullopt;
  return decode_session(rows[0]);
}

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

Result<std::vector<std::string>> ReadTables::ids_with_prefix(const session::IdQuery& query) {
  const Condition where = conditions_of(query);
  Statement statement{fmt::format("SELECT s.id FROM sessions AS s WHERE {} ORDER BY s.id LIMIT ?", where.sql),
                      {where.values.begin(), where.values.end()}};
  statement.values.emplace_back(query.limit);
  HF_TRY(const Answer rows, connection_.ask(std::move(statement)));
  std::vector<std::string> ids;
  for (int i = 0; i < rows.size(); ++i) ids.emplace_back(rows[i].text(0));
  return ids;
}

Result<session::Page> ReadTables::list(const session::Query& query) {
  return list_sessions(connection_, query, secret_);
}

Result<std::optional<session::Tombstone>> ReadTables::find_tombstone(std::string_view id) {
  HF_TRY(const Answer rows,
         connection_.ask("SELECT kind, principal, deleted_at, purged_at, reason FROM tombstones WHERE id = ?", {id}));
  if (rows.empty()) return std::nullopt;
  return decode_tombstone(rows[0], id);
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

Result<std::optional<Entry>> ReadTables::one_entry(const SessionRow& row, std::string_view condition, std::vector<Param> values) {
  values.insert(values.begin(), Param(row.key));
  HF_TRY(const Answer rows,
         connection_.ask(fmt::format("SELECT {} FROM entries WHERE session = ? AND {}", kEntryColumns, condition),
                         std::move(values)));
  if (rows.empty()) return std::nullopt;
  return read_entry(rows[0], row.record.id);
}

Result<std::optional<Entry>> ReadTables::find_entry(const SessionRow& row, std::int64_t seq) {
  return one_entry(row, "seq = ?", {seq});
}

Result<std::optional<Entry>> ReadTables::find_numbered(const SessionRow& row, std::string_view lane, std::int64_t number) {
  if (number <= 0) return std::nullopt;
  return one_entry(row, "lane = ? AND number = ? AND number > 0", {lane, number});
}

Result<std::optional<Entry>> ReadTables::find_by_key(const SessionRow& row, std::string_view key) {
  if (key.empty()) return std::nullopt;
  return one_entry(row, "key = ? AND key IS NOT NULL", {key});
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

Result<std::vector<session::LineageEvent>> ReadTables::lineage_of(std::string_view session) {
  HF_TRY(const Answer rows, connection_.ask("SELECT number, child, parent, how, time, details FROM lineage WHERE child = ? OR "
                                            "parent = ? ORDER BY number LIMIT ?",
                                            {session, session, session::kMaxLineageEvents}));
  std::vector<session::LineageEvent> events;
  for (int i = 0; i < rows.size(); ++i) events.push_back(decode_lineage(rows[i]));
  return events;
}

Result<std::optional<session::KeyedValue>> ReadTables::find_value(std::string_view space, std::string_view key, Millis now) {
  HF_TRY(const Answer rows,
         connection_.ask("SELECT key, value, rev, updated_at, expires_at FROM keyed WHERE space = ? AND key = ? "
                         "AND coalesce(expires_at > ?, TRUE)",
                         {space, key, now}));
  if (rows.empty()) return std::nullopt;
  return decode_value(rows[0], space);
}

Result<std::vector<session::KeyedValue>> ReadTables::list_values(const session::ValueQuery& query, Millis now) {
  // From the prefix, or behind `after`, in key order; the loop ends at the first key without the prefix.
  HF_TRY(const Answer rows,
         connection_.ask("SELECT key, value, rev, updated_at, expires_at FROM keyed WHERE space = ? AND key >= ? "
                         "AND key > ? AND coalesce(expires_at > ?, TRUE) ORDER BY key LIMIT ?",
                         {query.space, query.prefix, query.after, now, query.limit}));
  std::vector<session::KeyedValue> values;
  for (int i = 0; i < rows.size() && rows[i].text(0).starts_with(query.prefix); ++i) {
    HF_TRY(auto value, decode_value(rows[i], query.space));
    values.push_back(std::move(value));
  }
  return values;
}

Result<std::optional<session::Lease>> ReadTables::find_lease(std::string_view name) {
  HF_TRY(const Answer rows,
         connection_.ask("SELECT host, pid, started, token, epoch, renewed_boot, renewed_wall, ttl FROM leases "
                         "WHERE name = ?",
                         {name}));
  if (rows.empty()) return std::nullopt;
  return decode_lease(rows[0], name);
}

}  // namespace holdfast::store::postgres
