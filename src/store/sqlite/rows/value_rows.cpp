#include "store/sqlite/rows/side_rows.h"
#include "store/tables/side_row.h"

namespace holdfast::store {

using session::KeyedValue;

Result<std::optional<KeyedValue>> find_value(Db& db, std::string_view space, std::string_view key, Millis now) {
  HF_TRY(auto rows, db.query("SELECT key, value, rev, updated_at, expires_at FROM keyed WHERE space = ? AND key = ? "
                             "AND ifnull(expires_at > ?, 1)",
                             space, key, now));
  HF_TRY(const bool found, rows.next());
  if (!found) return std::optional<KeyedValue>();
  return decode_value(rows, space);
}

Result<std::vector<KeyedValue>> list_values(Db& db, const session::ValueQuery& query, Millis now) {
  // From the prefix, or behind `after`, in key order; the loop ends at the first key without the prefix.
  HF_TRY(auto rows, db.query("SELECT key, value, rev, updated_at, expires_at FROM keyed WHERE space = ?1 AND key >= ?2 "
                             "AND key > ?3 AND ifnull(expires_at > ?4, 1) ORDER BY key LIMIT ?5",
                             query.space, query.prefix, query.after, now, query.limit));
  std::vector<KeyedValue> values;
  while (true) {
    HF_TRY(const bool more, rows.next());
    if (!more || !rows.text(0).starts_with(query.prefix)) return values;
    HF_TRY(auto value, decode_value(rows, query.space));
    values.push_back(std::move(value));
  }
}

Result<std::int64_t> value_rev(Db& db, std::string_view space, std::string_view key, Millis now) {
  HF_TRY(const auto found,
         db.number("SELECT rev FROM keyed WHERE space = ? AND key = ? AND ifnull(expires_at > ?, 1)", space, key, now));
  return found.value_or(0);
}

Result<void> write_value(Db& db, const KeyedValue& value) {
  const std::string text = to_json(value.value);
  return db.run("INSERT OR REPLACE INTO keyed VALUES(?, ?, ?, ?, ?, ?)", value.space, value.key, text, value.rev,
                value.updated_at, value.expires_at);
}

Result<void> erase_value(Db& db, std::string_view space, std::string_view key) {
  return db.run("DELETE FROM keyed WHERE space = ? AND key = ?", space, key);
}

Result<std::int64_t> purge_values(Db& db, Millis now, std::size_t limit) {
  HF_CHECK(
      db.run("DELETE FROM keyed WHERE (space, key) IN (SELECT space, key FROM keyed WHERE expires_at <= ? LIMIT ?)", now, limit));
  return db.changed_rows();
}

}  // namespace holdfast::store
