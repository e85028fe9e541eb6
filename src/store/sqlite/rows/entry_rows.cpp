#include "store/sqlite/rows/entry_rows.h"

#include "session/limits.h"

#include <fmt/format.h>

namespace holdfast::store {

using session::Entry;

namespace {

Result<std::optional<Entry>> first_entry(Result<Rows> rows, const SessionRow& row) {
  if (!rows) return fail(std::move(rows).error());
  HF_TRY(const bool found, rows->next());
  if (!found) return std::optional<Entry>();
  return read_entry(*rows, row.record.id);
}

Result<void> count_entry(Db& db, const SessionRow& row, const Entry& entry) {
  return db.run(
      "INSERT INTO tallies VALUES(?, ?, ?, 1, ?, ?, ?) ON CONFLICT(session, lane, type) DO UPDATE SET count = count + 1, "
      "highest_number = max(highest_number, excluded.highest_number), last_seq = excluded.last_seq, "
      "last_time = excluded.last_time",
      row.key, entry.lane, entry.type, entry.number, entry.seq, entry.time);
}

}  // namespace

Result<Entry> insert_entry(Db& db, SessionRow& row, session::NewEntry fresh, std::int64_t sequence) {
  auto [entry, salt] = next_entry(row, std::move(fresh), sequence);
  const auto key = entry.idempotency_key.empty() ? std::nullopt : std::optional<std::string_view>(entry.idempotency_key);
  HF_CHECK(db.run("INSERT INTO entries VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, NULL, ?, ?)", entry.sequence, row.key,
                  entry.seq, entry.type, entry.lane, entry.number, entry.time, entry.author, entry.run, key,
                  Blob{bytes_of(row.head)}, Blob{bytes_of(entry.hash)}, Blob{salt}, Blob{entry.data}, Blob{entry.text}));
  HF_CHECK(count_entry(db, row, entry));
  row.entries = entry.seq;
  row.head = entry.hash;
  return entry;
}

Result<session::EntryPage> read_entries(Db& db, const SessionRow& row, const session::EntryQuery& query) {
  const bool forward = query.direction == session::Direction::forward;
  std::string sql = fmt::format("SELECT {} FROM entries WHERE session = ? AND seq {} ?", kEntryColumns, forward ? ">=" : "<=");
  if (query.lane) sql += " AND lane = ?";
  if (!query.types.empty()) {
    sql += " AND type IN (?";
    for (std::size_t i = 1; i < query.types.size(); ++i) sql += ",?";
    sql += ")";
  }
  sql += forward ? " ORDER BY seq" : " ORDER BY seq DESC";

  const std::int64_t from = query.from != 0 || forward ? query.from : row.entries;
  HF_TRY(auto rows, db.query(sql, row.key, from));
  int index = 2;
  if (query.lane) rows.bind(++index, *query.lane);
  for (const std::string& type : query.types) rows.bind(++index, type);

  session::EntryPage page;
  std::size_t bytes = 0;
  while (true) {
    HF_TRY(const bool more, rows.next());
    if (!more) return page;
    if (page.entries.size() >= query.limit || bytes >= session::kEntryPageBytes) {
      page.next = rows.integer(1);
      return page;
    }
    page.entries.push_back(read_entry(rows, row.record.id));
    bytes += page.entries.back().text.size() + page.entries.back().data.size();
  }
}

Result<std::optional<Entry>> find_entry(Db& db, const SessionRow& row, std::int64_t seq) {
  static const std::string sql = fmt::format("SELECT {} FROM entries WHERE session = ? AND seq = ?", kEntryColumns);
  return first_entry(db.query(sql, row.key, seq), row);
}

Result<std::optional<Entry>> find_entry(Db& db, const SessionRow& row, std::string_view lane, std::int64_t number) {
  if (number <= 0) return std::optional<Entry>();
  static const std::string sql =
      fmt::format("SELECT {} FROM entries WHERE session = ? AND lane = ? AND number = ? AND number > 0", kEntryColumns);
  return first_entry(db.query(sql, row.key, lane, number), row);
}

Result<std::optional<Entry>> find_entry_by_key(Db& db, const SessionRow& row, std::string_view key) {
  if (key.empty()) return std::optional<Entry>();
  static const std::string sql = fmt::format("SELECT {} FROM entries WHERE session = ? AND key = ?", kEntryColumns);
  return first_entry(db.query(sql, row.key, key), row);
}

Result<std::int64_t> redact_entry(Db& db, const SessionRow& row, std::int64_t seq, std::string_view text, std::string_view data) {
  std::int64_t sequence = 0;
  std::string mac;
  {
    HF_TRY(auto rows,
           db.query("SELECT sequence, salt, mac, data, text FROM entries WHERE session = ? AND seq = ?", row.key, seq));
    HF_TRY(const bool found, rows.next());
    if (!found) return fail(ErrorKind::not_found, fmt::format("session {} has no entry {}", row.record.id, seq));
    sequence = rows.integer(0);
    mac = mac_to_keep(rows.text(1), rows.text(2), rows.text(4), rows.text(3));
  }
  HF_CHECK(db.run("UPDATE entries SET salt = NULL, mac = ?, data = ?, text = ? WHERE session = ? AND seq = ?", Blob{mac},
                  Blob{data}, Blob{text}, row.key, seq));
  return sequence;
}

}  // namespace holdfast::store
