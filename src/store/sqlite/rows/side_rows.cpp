#include "store/sqlite/rows/tables.h"

namespace holdfast::store {

Result<std::int64_t> SqliteTables::value_rev(std::string_view space, std::string_view key, Millis now) {
  HF_TRY(const auto found,
         db_.number("SELECT rev FROM keyed WHERE space = ? AND key = ? AND ifnull(expires_at > ?, 1)", space, key, now));
  return found.value_or(0);
}

Result<void> SqliteTables::write_value(const session::KeyedValue& value) {
  const std::string text = to_json(value.value);
  return db_.run("INSERT OR REPLACE INTO keyed VALUES(?, ?, ?, ?, ?, ?)", value.space, value.key, text, value.rev,
                 value.updated_at, value.expires_at);
}

Result<void> SqliteTables::erase_value(std::string_view space, std::string_view key) {
  return db_.run("DELETE FROM keyed WHERE space = ? AND key = ?", space, key);
}

Result<std::int64_t> SqliteTables::purge_values(Millis now, std::size_t limit) {
  HF_CHECK(db_.run("DELETE FROM keyed WHERE (space, key) IN (SELECT space, key FROM keyed WHERE expires_at <= ? LIMIT ?)", now,
                   limit));
  return db_.changed_rows();
}

Result<session::LineageEvent> SqliteTables::insert_lineage(session::LineageEvent event) {
  const std::string details = to_json(event.details);
  HF_CHECK(db_.each("INSERT INTO lineage(child, parent, how, time, details) VALUES(?, ?, ?, ?, ?) RETURNING number",
                    {event.child, event.parent, event.how, event.when, details}, [&](const Columns& columns) {
                      event.number = columns.integer(0);
                      return true;
                    }));
  return event;
}

Result<void> SqliteTables::write_lease(const session::Lease& lease) {
  return db_.run("INSERT OR REPLACE INTO leases VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)", lease.name, lease.owner.host, lease.owner.pid,
                 lease.owner.started, lease.owner.token, lease.epoch, lease.renewed.boot, lease.renewed.wall, lease.ttl);
}

}  // namespace holdfast::store
