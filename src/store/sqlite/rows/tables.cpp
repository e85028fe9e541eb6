#include "store/sqlite/rows/tables.h"

#include "session/limits.h"
#include "store/sqlite/lists/buckets.h"
#include "store/tables/condition.h"

#include <fmt/format.h>

namespace holdfast::store {

using session::Entry;
using session::SessionRecord;

namespace {

constexpr int kBucketColumn = 33;         // behind those of kSessionColumns
constexpr std::string_view kGiven = "?";  // numbers are in the rows

}  // namespace

const SessionStatements& sqlite_session_statements() {
  static const SessionStatements statements(fmt::format("{}, shelf", kSessionColumns));
  return statements;
}

SessionRow SqliteTables::decode_row(const Columns& columns) const {
  SessionRow row = decode_session(columns);
  row.bucket = columns.integer(kBucketColumn);
  return row;
}

Result<std::optional<SessionRow>> SqliteTables::find_row_by_key(std::int64_t key) {
  return db_.first<SessionRow>(statements_.by_key, {key}, [&](const Columns& columns) { return decode_row(columns); });
}

Result<bool> SqliteTables::is_taken(std::string_view id) {
  HF_TRY(const auto existing,
         db_.number("SELECT 1 FROM sessions WHERE id = ?1 UNION ALL SELECT 1 FROM tombstones WHERE id = ?1", id));
  return existing.has_value();
}

Result<void> SqliteTables::load_rest(SessionRow& row) {
  SessionRecord& r = row.record;
  bool found = false;
  HF_CHECK(db_.each("SELECT description, opening, data, checksum FROM session_texts WHERE session = ?", {row.key},
                    [&](const Columns& columns) {
                      decode_texts(columns, r);
                      found = true;
                      return false;
                    }));
  if (!found) add_damage(r, "description and data are missing");
  HF_TRY(r.tallies, db_.all<session::Tally>("SELECT lane, type, count, highest_number, last_seq, last_time FROM tallies WHERE "
                                            "session = ? ORDER BY lane, type",
                                            {row.key}, decode_tally));
  return {};
}

Result<void> SqliteTables::insert_row(SessionRow& row) {
  HF_TRY(const auto highest, db_.number("SELECT max(key) FROM sessions"));
  row.key = highest.value_or(0) + 1;
  HF_TRY(row.bucket, put_in_bucket(db_, row.record, 0));
  HF_CHECK(insert_session(db_, row, kGiven, true));
  row.stored_due = row.record.due_at;
  HF_CHECK(write_session_texts(db_, row, std::nullopt));
  return write_session_lookups(db_, row, nullptr, {});
}

Result<void> SqliteTables::update_row(SessionRow& row, const SessionRecord& before) {
  updated_.emplace_back(row.changed, row.key);
  const std::int64_t former = row.bucket;
  HF_TRY(row.bucket, put_in_bucket(db_, row.record, former));
  const Moved moved{row.record.due_at != row.stored_due, row.bucket != former};
  HF_CHECK(update_session(db_, row, kGiven, moved));
  row.stored_due = row.record.due_at;
  HF_CHECK(write_session_texts(db_, row, std::nullopt));
  return write_session_lookups(db_, row, &before, moved);
}

Result<void> SqliteTables::update_head(SessionRow& row) {
  HF_CHECK(update_session_head(db_, row, {row.record.due_at != row.stored_due, false}));
  row.stored_due = row.record.due_at;
  return {};
}

Result<void> SqliteTables::erase_row(const SessionRow& row, const session::Tombstone& tombstone, std::int64_t changed) {
  HF_CHECK(
      db_.run("INSERT INTO erasures SELECT ?1, ifnull(min(sequence), 0), ifnull(max(sequence), 0), ?2 FROM entries "
              "WHERE session = ?2",
              changed, row.key));
  HF_CHECK(take_from_bucket(db_, row.bucket));
  return erase_session(db_, row, tombstone, kGiven, changed);
}

Result<void> SqliteTables::note_erasures() {
  for (const auto& [changed, key] : updated_)
    HF_CHECK(db_.run("INSERT OR IGNORE INTO erasures VALUES(?, 0, 0, ?)", changed, key));
  return {};
}

Result<Entry> SqliteTables::insert_entry(SessionRow& row, session::NewEntry fresh) {
  NextEntry next = next_entry(row, std::move(fresh), next_sequence());
  const Entry& entry = next.entry;
  HF_CHECK(insert_entry_row(db_, row, next, kGiven, std::nullopt));
  HF_CHECK(add_to_tally(db_, row.key, {entry.lane, entry.type, 1, entry.number, entry.seq, entry.time}));
  row.entries = entry.seq;
  row.head = entry.hash;
  return std::move(next.entry);
}

Result<session::EntryPage> SqliteTables::read_entries(const SessionRow& row, const session::EntryQuery& query) {
  const bool forward = query.direction == session::Direction::forward;
  std::string sql = fmt::format("SELECT {} FROM entries WHERE session = ? AND seq {} ?", kEntryColumns, forward ? ">=" : "<=");
  if (query.lane) sql += " AND lane = ?";
  if (!query.types.empty()) sql += " AND type IN " + marks(query.types.size());
  sql += forward ? " ORDER BY seq" : " ORDER BY seq DESC";

  const std::int64_t from = query.from != 0 || forward ? query.from : row.entries;
  SqlValues values{row.key, from};
  if (query.lane) values.emplace_back(*query.lane);
  values.insert(values.end(), query.types.begin(), query.types.end());

  session::EntryPage page;
  std::size_t bytes = 0;
  HF_CHECK(db_.each(sql, values, [&](const Columns& columns) {
    if (page.entries.size() >= query.limit || bytes >= session::kEntryPageBytes) {
      page.next = columns.integer(1);
      return false;
    }
    page.entries.push_back(read_entry(columns, row.record.id));
    bytes += page.entries.back().text.size() + page.entries.back().data.size();
    return true;
  }));
  return page;
}

Result<void> SqliteTables::each_entry(const SessionRow& row, const OnEntry& on_entry) {
  return db_.each(fmt::format("SELECT {} FROM entries WHERE session = ? ORDER BY seq", kEntryColumns), {row.key},
                  [&](const Columns& columns) {
                    on_entry(read_entry(columns, row.record.id), previous_hash(columns));
                    return true;
                  });
}

Result<void> SqliteTables::redact_entry(const SessionRow& row, std::int64_t seq, std::string_view text, std::string_view data) {
  std::int64_t sequence = 0;
  std::string mac;
  {
    HF_TRY(auto rows,
           db_.query("SELECT sequence, salt, mac, data, text FROM entries WHERE session = ? AND seq = ?", row.key, seq));
    HF_TRY(const bool found, rows.next());
    if (!found) return fail(ErrorKind::not_found, fmt::format("session {} has no entry {}", row.record.id, seq));
    sequence = rows.integer(0);
    mac = mac_to_keep(rows.text(1), rows.text(2), rows.text(4), rows.text(3));
  }
  HF_CHECK(db_.run("UPDATE entries SET salt = NULL, mac = ?, data = ?, text = ? WHERE session = ? AND seq = ?", Blob{mac},
                   Blob{data}, Blob{text}, row.key, seq));
  return db_.run("INSERT INTO erasures VALUES(?, ?, ?, ?)", row.changed, sequence, sequence, row.key);
}

Result<std::int64_t> SqliteTables::purge_values(Millis now, std::size_t limit) {
  HF_CHECK(db_.run("DELETE FROM keyed WHERE (space, key) IN (SELECT space, key FROM keyed WHERE expires_at <= ? LIMIT ?)", now,
                   limit));
  return db_.changed_rows();
}

}  // namespace holdfast::store
