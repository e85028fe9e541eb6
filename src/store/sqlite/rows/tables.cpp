#include "store/sqlite/rows/tables.h"

#include "store/sqlite/lists/catalogue_rows.h"
#include "store/sqlite/lists/list_rows.h"
#include "store/sqlite/rows/entry_rows.h"
#include "store/sqlite/rows/side_rows.h"
#include "store/tables/condition.h"

#include <fmt/format.h>

namespace holdfast::store {

using session::Entry;

Result<std::optional<SessionRow>> SqliteTables::find_row(std::string_view id) {
  return store::find_row(db_, id);
}

Result<void> SqliteTables::load_rest(SessionRow& row) {
  return store::load_rest(db_, row);
}

Result<std::vector<std::string>> SqliteTables::ids_with_prefix(const session::IdQuery& query) {
  const Condition where = conditions_of(query);
  HF_TRY(auto rows, db_.query(fmt::format("SELECT s.id FROM sessions AS s WHERE {} ORDER BY s.id LIMIT ?", where.sql)));
  int index = 0;
  bind_values(rows, index, where.values);
  rows.bind(++index, query.limit);
  std::vector<std::string> ids;
  while (true) {
    HF_TRY(const bool more, rows.next());
    if (!more) return ids;
    ids.emplace_back(rows.text(0));
  }
}

Result<session::Page> SqliteTables::list(const session::Query& query) {
  return list_sessions(db_, query, secret_, catalogue_);
}

Result<std::optional<session::Tombstone>> SqliteTables::find_tombstone(std::string_view id) {
  return store::find_tombstone(db_, id);
}

Result<session::EntryPage> SqliteTables::read_entries(const SessionRow& row, const session::EntryQuery& query) {
  return store::read_entries(db_, row, query);
}

Result<std::optional<Entry>> SqliteTables::find_entry(const SessionRow& row, std::int64_t seq) {
  return store::find_entry(db_, row, seq);
}

Result<std::optional<Entry>> SqliteTables::find_numbered(const SessionRow& row, std::string_view lane, std::int64_t number) {
  return store::find_entry(db_, row, lane, number);
}

Result<std::optional<Entry>> SqliteTables::find_by_key(const SessionRow& row, std::string_view key) {
  return find_entry_by_key(db_, row, key);
}

Result<void> SqliteTables::each_entry(const SessionRow& row, const OnEntry& on_entry) {
  HF_TRY(auto rows, db_.query(fmt::format("SELECT {} FROM entries WHERE session = ? ORDER BY seq", kEntryColumns), row.key));
  while (true) {
    HF_TRY(const bool more, rows.next());
    if (!more) return {};
    on_entry(read_entry(rows, row.record.id), previous_hash(rows));
  }
}

Result<std::vector<session::LineageEvent>> SqliteTables::lineage_of(std::string_view session) {
  return store::lineage_of(db_, session);
}

Result<std::optional<session::KeyedValue>> SqliteTables::find_value(std::string_view space, std::string_view key, Millis now) {
  return store::find_value(db_, space, key, now);
}

Result<std::vector<session::KeyedValue>> SqliteTables::list_values(const session::ValueQuery& query, Millis now) {
  return store::list_values(db_, query, now);
}

Result<std::optional<session::Lease>> SqliteTables::find_lease(std::string_view name) {
  return store::find_lease(db_, name);
}

Result<std::vector<SessionRow>> SqliteTables::rows_after(std::string_view id, std::size_t limit) {
  return store::rows_after(db_, id, limit);
}

Result<bool> SqliteTables::is_taken(std::string_view id) {
  HF_TRY(const auto existing,
         db_.number("SELECT 1 FROM sessions WHERE id = ?1 UNION ALL SELECT 1 FROM tombstones WHERE id = ?1", id));
  return existing.has_value();
}

Result<void> SqliteTables::insert_row(SessionRow& row) {
  return store::insert_row(db_, row);
}

Result<void> SqliteTables::update_row(SessionRow& row, const session::SessionRecord& /*before*/) {
  updated_.emplace_back(row.changed, row.key);
  return store::update_row(db_, row);
}

Result<void> SqliteTables::note_erasures() {
  for (const auto& [changed, key] : updated_)
    HF_CHECK(db_.run("INSERT OR IGNORE INTO erasures VALUES(?, 0, 0, ?)", changed, key));
  return {};
}

Result<void> SqliteTables::update_head(SessionRow& row) {
  return store::update_head(db_, row);
}

Result<void> SqliteTables::erase_row(const SessionRow& row, const session::Tombstone& tombstone, std::int64_t changed) {
  HF_CHECK(
      db_.run("INSERT INTO erasures SELECT ?1, ifnull(min(sequence), 0), ifnull(max(sequence), 0), ?2 FROM entries "
              "WHERE session = ?2",
              changed, row.key));
  HF_CHECK(store::erase_row(db_, row));
  return insert_tombstone(db_, tombstone, changed);
}

Result<void> SqliteTables::note_recount() {
  return store::note_recount(db_);
}

Result<Entry> SqliteTables::insert_entry(SessionRow& row, session::NewEntry entry) {
  return store::insert_entry(db_, row, std::move(entry), next_sequence());
}

Result<void> SqliteTables::redact_entry(const SessionRow& row, std::int64_t seq, std::string_view text, std::string_view data) {
  HF_TRY(const std::int64_t sequence, store::redact_entry(db_, row, seq, text, data));
  return db_.run("INSERT INTO erasures VALUES(?, ?, ?, ?)", row.changed, sequence, sequence, row.key);
}

Result<session::LineageEvent> SqliteTables::insert_lineage(session::LineageEvent event) {
  return store::insert_lineage(db_, std::move(event));
}

Result<std::int64_t> SqliteTables::value_rev(std::string_view space, std::string_view key, Millis now) {
  return store::value_rev(db_, space, key, now);
}

Result<void> SqliteTables::write_value(const session::KeyedValue& value) {
  return store::write_value(db_, value);
}

Result<void> SqliteTables::erase_value(std::string_view space, std::string_view key) {
  return store::erase_value(db_, space, key);
}

Result<std::int64_t> SqliteTables::purge_values(Millis now, std::size_t limit) {
  return store::purge_values(db_, now, limit);
}

Result<void> SqliteTables::write_lease(const session::Lease& lease) {
  return store::write_lease(db_, lease);
}

}  // namespace holdfast::store
