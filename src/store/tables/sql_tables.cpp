#include "store/tables/sql_tables.h"

#include "store/tables/condition.h"

#include <fmt/format.h>

namespace holdfast::store {

using session::Entry;
using session::KeyedValue;

namespace {

Result<std::optional<Entry>> one_entry(Sql& sql, const SessionRow& row, std::string_view condition, SqlValues values) {
  values.insert(values.begin(), SqlValue(row.key));
  return sql.first<Entry>(fmt::format("SELECT {} FROM entries WHERE session = ? AND {}", kEntryColumns, condition), values,
                          [&](const Columns& columns) { return read_entry(columns, row.record.id); });
}

}  // namespace

session::LineageEvent decode_lineage(const Columns& columns) {
  session::LineageEvent event;
  event.number = columns.integer(0);
  event.child = columns.text(1);
  event.parent = columns.text(2);
  event.how = columns.text(3);
  event.when = columns.integer(4);
  auto details = parse_json(columns.text(5));
  if (details && details->is_object()) event.details = std::move(details->get_object());
  return event;
}

Result<session::KeyedValue> decode_value(const Columns& columns, std::string_view space) {
  session::KeyedValue value;
  value.space = space;
  value.key = columns.text(0);
  auto json = parse_json(columns.text(1));
  if (!json) return fail(ErrorKind::corrupt, fmt::format("the value {}/{} cannot be read", space, value.key));
  value.value = *std::move(json);
  value.rev = columns.integer(2);
  value.updated_at = columns.integer(3);
  value.expires_at = columns.optional_integer(4);
  return value;
}

session::Lease decode_lease(const Columns& columns, std::string_view name) {
  session::Lease lease;
  lease.name = name;
  lease.owner = {std::string(columns.text(0)), columns.integer(1), columns.integer(2), std::string(columns.text(3))};
  lease.epoch = columns.integer(4);
  lease.renewed = {columns.integer(5), columns.integer(6)};
  lease.ttl = columns.integer(7);
  return lease;
}

session::Tombstone decode_tombstone(const Columns& columns, std::string_view id) {
  return {std::string(id),    std::string(columns.text(0)), std::string(columns.text(1)), columns.optional_integer(2),
          columns.integer(3), std::string(columns.text(4))};
}

SessionStatements::SessionStatements(std::string_view columns)
    : by_id(fmt::format("SELECT {} FROM sessions WHERE id = ?", columns)),
      by_key(fmt::format("SELECT {} FROM sessions WHERE key = ?", columns)),
      after_id(fmt::format("SELECT {} FROM sessions WHERE id > ? ORDER BY id LIMIT ?", columns)) {}

template <class Base>
Result<std::optional<SessionRow>> SqlTables<Base>::find_row(std::string_view id) {
  return sql_.first<SessionRow>(statements_.by_id, {id}, [&](const Columns& columns) { return decode_row(columns); });
}

template <class Base>
Result<std::vector<SessionRow>> SqlTables<Base>::rows_after(std::string_view id, std::size_t limit) {
  return sql_.all<SessionRow>(statements_.after_id, {id, limit}, [&](const Columns& columns) { return decode_row(columns); });
}

template <class Base>
Result<std::vector<std::string>> SqlTables<Base>::ids_with_prefix(const session::IdQuery& query) {
  const Condition where = conditions_of(query);
  SqlValues values(where.values.begin(), where.values.end());
  values.emplace_back(query.limit);
  return sql_.all<std::string>(fmt::format("SELECT s.id FROM sessions AS s WHERE {} ORDER BY s.id LIMIT ?", where.sql), values,
                               [](const Columns& columns) { return std::string(columns.text(0)); });
}

template <class Base>
Result<std::optional<session::Tombstone>> SqlTables<Base>::find_tombstone(std::string_view id) {
  return sql_.first<session::Tombstone>("SELECT kind, principal, deleted_at, purged_at, reason FROM tombstones WHERE id = ?",
                                        {id}, [&](const Columns& columns) { return decode_tombstone(columns, id); });
}

template <class Base>
Result<std::optional<Entry>> SqlTables<Base>::find_entry(const SessionRow& row, std::int64_t seq) {
  return one_entry(sql_, row, "seq = ?", {seq});
}

template <class Base>
Result<std::optional<Entry>> SqlTables<Base>::find_numbered(const SessionRow& row, std::string_view lane, std::int64_t number) {
  if (number <= 0) return std::nullopt;
  return one_entry(sql_, row, "lane = ? AND number = ? AND number > 0", {lane, number});
}

template <class Base>
Result<std::optional<Entry>> SqlTables<Base>::find_by_key(const SessionRow& row, std::string_view key) {
  if (key.empty()) return std::nullopt;
  return one_entry(sql_, row, "key = ? AND key IS NOT NULL", {key});
}

template <class Base>
Result<std::vector<session::LineageEvent>> SqlTables<Base>::lineage_of(std::string_view session) {
  return sql_.all<session::LineageEvent>(
      "SELECT number, child, parent, how, time, details FROM lineage WHERE child = ? OR parent = ? ORDER BY number LIMIT ?",
      {session, session, session::kMaxLineageEvents}, decode_lineage);
}

template <class Base>
Result<std::optional<KeyedValue>> SqlTables<Base>::find_value(std::string_view space, std::string_view key, Millis now) {
  return sql_.first<KeyedValue>(
      "SELECT key, value, rev, updated_at, expires_at FROM keyed WHERE space = ? AND key = ? AND coalesce(expires_at > ?, TRUE)",
      {space, key, now}, [&](const Columns& columns) { return decode_value(columns, space); });
}

template <class Base>
Result<std::vector<KeyedValue>> SqlTables<Base>::list_values(const session::ValueQuery& query, Millis now) {
  // From the prefix, or behind `after`, in key order, up to the first key without the prefix.
  std::vector<KeyedValue> values;
  HF_CHECK(
      sql_.each("SELECT key, value, rev, updated_at, expires_at FROM keyed WHERE space = ? AND key >= ? AND key > ? "
                "AND coalesce(expires_at > ?, TRUE) ORDER BY key LIMIT ?",
                {query.space, query.prefix, query.after, now, query.limit}, [&](const Columns& columns) -> Result<bool> {
                  if (!columns.text(0).starts_with(query.prefix)) return false;
                  HF_TRY(auto value, decode_value(columns, query.space));
                  values.push_back(std::move(value));
                  return true;
                }));
  return values;
}

template <class Base>
Result<std::optional<session::Lease>> SqlTables<Base>::find_lease(std::string_view name) {
  return sql_.first<session::Lease>(
      "SELECT host, pid, started, token, epoch, renewed_boot, renewed_wall, ttl FROM leases WHERE name = ?", {name},
      [&](const Columns& columns) { return decode_lease(columns, name); });
}

template class SqlTables<Tables>;
template class SqlTables<WritableTables>;

}  // namespace holdfast::store
