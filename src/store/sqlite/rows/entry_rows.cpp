#include "session/limits.h"
#include "store/sqlite/rows/tables.h"
#include "store/tables/condition.h"

#include <fmt/format.h>

namespace holdfast::store {

using session::Entry;

namespace {

Result<void> count_entry(Db& db, const SessionRow& row, const Entry& entry) {
  return db.run(
      "INSERT INTO tallies VALUES(?, ?, ?, 1, ?, ?, ?) ON CONFLICT(session, lane, type) DO UPDATE SET count = count + 1, "
      "highest_number = max(highest_number, excluded.highest_number), last_seq = excluded.last_seq, "
      "last_time = excluded.last_time",
      row.key, entry.lane, entry.type, entry.number, entry.seq, entry.time);
}

}  // namespace

Result<Entry> SqliteTables::insert_entry(SessionRow& row, session::NewEntry fresh) {
  auto [entry, salt] = next_entry(row, std::move(fresh), next_sequence());
  const auto key = entry.idempotency_key.empty() ? std::nullopt : std::optional<std::string_view>(entry.idempotency_key);
  HF_CHECK(db_.run("INSERT INTO entries VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, NULL, ?, ?)", entry.sequence, row.key,
                   entry.seq, entry.type, entry.lane, entry.number, entry.time, entry.author, entry.run, key,
                   Blob{bytes_of(row.head)}, Blob{bytes_of(entry.hash)}, Blob{salt}, Blob{entry.data}, Blob{entry.text}));
  HF_CHECK(count_entry(db_, row, entry));
  row.entries = entry.seq;
  row.head = entry.hash;
  return entry;
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

}  // namespace holdfast::store
