#include "store/sqlite/rows/record_rows.h"

#include "store/sqlite/lists/buckets.h"

#include <fmt/format.h>

namespace holdfast::store {

using session::SessionRecord;

namespace {

const std::string kRecordColumns = fmt::format("{}, shelf", kSessionColumns);

SessionRow decode_with_bucket(const Rows& rows) {
  SessionRow row = decode_session(rows);
  row.bucket = rows.integer(33);
  return row;
}

Result<std::optional<SessionRow>> first_row(Result<Rows> rows) {
  if (!rows) return fail(std::move(rows).error());
  HF_TRY(const bool found, rows->next());
  if (!found) return std::optional<SessionRow>();
  return decode_with_bucket(*rows);
}

Result<void> write_texts(Db& db, const SessionRow& row) {
  const SessionRecord& r = row.record;
  const std::string data = to_json(r.data);
  return db.run("INSERT OR REPLACE INTO session_texts VALUES(?, ?, ?, ?, ?, ?)", row.key, r.description, r.opening,
                folded_text(r), data, Blob{checksum_of_texts(r.description, r.opening, data)});
}

Result<void> write_lookups(Db& db, const SessionRow& row) {
  const SessionRecord& r = row.record;
  HF_CHECK(db.run("DELETE FROM roots WHERE session = ?", row.key));
  HF_CHECK(db.run("DELETE FROM tags WHERE session = ?", row.key));
  for (const std::string& root : roots_of(r)) {
    HF_CHECK(db.run("INSERT OR IGNORE INTO roots VALUES(?, ?, ?)", root, row.bucket, row.key));
  }
  for (const std::string& tag : r.tags) HF_CHECK(db.run("INSERT OR IGNORE INTO tags VALUES(?, ?)", tag, row.key));
  return {};
}

// An index is written when a column of it is named, whether or not its value is another one.
Result<void> write_if_moved(Db& db, SessionRow& row, std::int64_t bucket) {
  if (row.record.due_at != row.stored_due) {
    HF_CHECK(db.run("UPDATE sessions SET due_at = ? WHERE key = ?", row.record.due_at, row.key));
    row.stored_due = row.record.due_at;
  }
  if (bucket != row.bucket) {
    HF_CHECK(db.run("UPDATE sessions SET shelf = ? WHERE key = ?", bucket, row.key));
    row.bucket = bucket;
  }
  return {};
}

}  // namespace

Result<std::optional<SessionRow>> find_row(Db& db, std::string_view id) {
  static const std::string sql = fmt::format("SELECT {} FROM sessions WHERE id = ?", kRecordColumns);
  return first_row(db.query(sql, id));
}

Result<std::optional<SessionRow>> find_row(Db& db, std::int64_t key) {
  static const std::string sql = fmt::format("SELECT {} FROM sessions WHERE key = ?", kRecordColumns);
  return first_row(db.query(sql, key));
}

Result<std::vector<SessionRow>> rows_after(Db& db, std::string_view id, std::size_t limit) {
  static const std::string sql = fmt::format("SELECT {} FROM sessions WHERE id > ? ORDER BY id LIMIT ?", kRecordColumns);
  HF_TRY(auto rows, db.query(sql, id, limit));
  std::vector<SessionRow> found;
  while (true) {
    HF_TRY(const bool more, rows.next());
    if (!more) return found;
    found.push_back(decode_with_bucket(rows));
  }
}

Result<void> load_rest(Db& db, SessionRow& row) {
  SessionRecord& r = row.record;
  {
    HF_TRY(auto rows, db.query("SELECT description, opening, data, checksum FROM session_texts WHERE session = ?", row.key));
    HF_TRY(const bool found, rows.next());
    if (!found) {
      add_damage(r, "description and data are missing");
    } else {
      decode_texts(rows, r);
    }
  }
  HF_TRY(auto rows, db.query("SELECT lane, type, count, highest_number, last_seq, last_time FROM tallies WHERE session = ? "
                             "ORDER BY lane, type",
                             row.key));
  while (true) {
    HF_TRY(const bool more, rows.next());
    if (!more) return {};
    r.tallies.push_back(decode_tally(rows));
  }
}

Result<void> insert_row(Db& db, SessionRow& row) {
  HF_TRY(const auto highest, db.number("SELECT max(key) FROM sessions"));
  row.key = highest.value_or(0) + 1;
  HF_TRY(row.bucket, put_in_bucket(db, row.record, 0));
  const SessionRecord& r = row.record;
  const std::string linked_roots = list_to_text(r.linked_roots);
  const std::string tags = list_to_text(r.tags);
  static const std::string sql = fmt::format(
      "INSERT INTO sessions({}) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
      "?, ?, ?, ?, ?, ?, ?)",
      kRecordColumns);
  HF_CHECK(db.run(sql, row.key, r.id, r.kind, r.title, r.root_uri, r.root_name, linked_roots, r.project, r.task, r.aspect,
                  r.domain, tags, r.status, static_cast<std::int64_t>(r.visibility), r.prior_status,
                  static_cast<std::int64_t>(r.prior_visibility), r.pinned, r.principal, r.client, r.rev, r.created_at,
                  r.updated_at, r.last_activity_at, r.last_accessed_at, r.archived_at, r.deleted_at, r.completed_at,
                  r.retention_anchor_at, r.due_at, row.changed, row.entries, Blob{bytes_of(row.head)},
                  Blob{checksum_of(row, linked_roots, tags)}, row.bucket));
  row.stored_due = r.due_at;
  HF_CHECK(write_texts(db, row));
  return write_lookups(db, row);
}

Result<void> update_row(Db& db, SessionRow& row) {
  const SessionRecord& r = row.record;
  const std::string linked_roots = list_to_text(r.linked_roots);
  const std::string tags = list_to_text(r.tags);
  HF_TRY(const std::int64_t bucket, put_in_bucket(db, r, row.bucket));
  HF_CHECK(db.run(
      "UPDATE sessions SET title = ?, root_uri = ?, root_name = ?, linked_roots = ?, project = ?, task = ?, aspect = ?, "
      "domain = ?, tags = ?, status = ?, visibility = ?, prior_status = ?, prior_visibility = ?, pinned = ?, principal = ?, "
      "client = ?, rev = ?, updated_at = ?, last_activity_at = ?, last_accessed_at = ?, archived_at = ?, deleted_at = ?, "
      "completed_at = ?, retention_anchor_at = ?, changed = ?, entries = ?, head = ?, checksum = ? WHERE key = ?",
      r.title, r.root_uri, r.root_name, linked_roots, r.project, r.task, r.aspect, r.domain, tags, r.status,
      static_cast<std::int64_t>(r.visibility), r.prior_status, static_cast<std::int64_t>(r.prior_visibility), r.pinned,
      r.principal, r.client, r.rev, r.updated_at, r.last_activity_at, r.last_accessed_at, r.archived_at, r.deleted_at,
      r.completed_at, r.retention_anchor_at, row.changed, row.entries, Blob{bytes_of(row.head)},
      Blob{checksum_of(row, linked_roots, tags)}, row.key));
  HF_CHECK(write_if_moved(db, row, bucket));
  HF_CHECK(write_texts(db, row));
  return write_lookups(db, row);
}

Result<void> update_head(Db& db, SessionRow& row) {
  const SessionRecord& r = row.record;
  HF_CHECK(
      db.run("UPDATE sessions SET rev = ?, updated_at = ?, last_activity_at = ?, last_accessed_at = ?, entries = ?, head = ?, "
             "checksum = ? WHERE key = ?",
             r.rev, r.updated_at, r.last_activity_at, r.last_accessed_at, row.entries, Blob{bytes_of(row.head)},
             Blob{checksum_of(row, list_to_text(r.linked_roots), list_to_text(r.tags))}, row.key));
  return write_if_moved(db, row, row.bucket);
}

Result<void> erase_row(Db& db, const SessionRow& row) {
  HF_CHECK(take_from_bucket(db, row.bucket));
  for (std::string_view sql : {"DELETE FROM sessions WHERE key = ?", "DELETE FROM session_texts WHERE session = ?",
                               "DELETE FROM roots WHERE session = ?", "DELETE FROM tags WHERE session = ?",
                               "DELETE FROM tallies WHERE session = ?", "DELETE FROM entries WHERE session = ?"}) {
    HF_CHECK(db.run(sql, row.key));
  }
  return {};
}

}  // namespace holdfast::store
