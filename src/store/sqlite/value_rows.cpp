#include "store/sqlite/side_rows.h"

#include <fmt/format.h>

namespace holdfast::store {

using session::Expect;
using session::KeyedValue;

namespace {

Result<KeyedValue> read_value(const Rows& rows, std::string_view space) {
  KeyedValue value;
  value.space = space;
  value.key = rows.text(0);
  auto json = parse_json(rows.text(1));
  if (!json) return fail(ErrorKind::corrupt, fmt::format("the value {}/{} cannot be read", space, value.key));
  value.value = *std::move(json);
  value.rev = rows.integer(2);
  value.updated_at = rows.integer(3);
  value.expires_at = rows.optional_integer(4);
  return value;
}

// The rev stored now (0: none, or expired), unless the expectation does not hold.
Result<std::int64_t> check_expectation(Db& db, std::string_view space, std::string_view key, Expect expect, Millis now) {
  HF_TRY(const auto found,
         db.number("SELECT rev FROM keyed WHERE space = ? AND key = ? AND ifnull(expires_at > ?, 1)", space, key, now));
  const std::int64_t rev = found.value_or(0);
  if (expect.what == Expect::What::absent && rev != 0) {
    return fail(ErrorKind::conflict, fmt::format("{}/{} exists already", space, key));
  }
  if (expect.what == Expect::What::rev && rev != expect.rev) {
    return fail(ErrorKind::conflict, fmt::format("{}/{} has changed: revision {}, not {}", space, key, rev, expect.rev));
  }
  return rev;
}

}  // namespace

Result<std::optional<KeyedValue>> find_value(Db& db, std::string_view space, std::string_view key, Millis now) {
  HF_TRY(auto rows, db.query("SELECT key, value, rev, updated_at, expires_at FROM keyed WHERE space = ? AND key = ? "
                             "AND ifnull(expires_at > ?, 1)",
                             space, key, now));
  HF_TRY(const bool found, rows.next());
  if (!found) return std::optional<KeyedValue>();
  return read_value(rows, space);
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
    HF_TRY(auto value, read_value(rows, query.space));
    values.push_back(std::move(value));
  }
}

Result<KeyedValue> put_value(Db& db, KeyedValue fresh, Expect expect) {
  HF_TRY(const std::int64_t rev, check_expectation(db, fresh.space, fresh.key, expect, fresh.updated_at));
  fresh.rev = rev + 1;
  const std::string text = to_json(fresh.value);
  HF_CHECK(db.run("INSERT OR REPLACE INTO keyed VALUES(?, ?, ?, ?, ?, ?)", fresh.space, fresh.key, text, fresh.rev,
                  fresh.updated_at, fresh.expires_at));
  return fresh;
}

Result<bool> erase_value(Db& db, std::string_view space, std::string_view key, Expect expect, Millis now) {
  HF_TRY(const std::int64_t rev, check_expectation(db, space, key, expect, now));
  HF_CHECK(db.run("DELETE FROM keyed WHERE space = ? AND key = ?", space, key));
  return rev != 0;
}

Result<std::int64_t> purge_values(Db& db, Millis now, std::size_t limit) {
  HF_CHECK(
      db.run("DELETE FROM keyed WHERE (space, key) IN (SELECT space, key FROM keyed WHERE expires_at <= ? LIMIT ?)", now, limit));
  return db.changed_rows();
}

}  // namespace holdfast::store
