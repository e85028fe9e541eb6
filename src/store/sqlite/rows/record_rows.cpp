#include "store/sqlite/lists/buckets.h"
#include "store/sqlite/rows/tables.h"

#include <fmt/format.h>

namespace holdfast::store {

using session::SessionRecord;

namespace {

constexpr int kBucketColumn = 33;  // behind those of kSessionColumns

const std::string& record_columns() {
  static const std::string columns = fmt::format("{}, shelf", kSessionColumns);
  return columns;
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
  for (const std::string& root : listed_roots(r)) {
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

const SessionStatements& sqlite_session_statements() {
  static const SessionStatements statements(record_columns());
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
  {
    HF_TRY(auto rows, db_.query("SELECT description, opening, data, checksum FROM session_texts WHERE session = ?", row.key));
    HF_TRY(const bool found, rows.next());
    if (!found) {
      add_damage(r, "description and data are missing");
    } else {
      decode_texts(rows, r);
    }
  }
  HF_TRY(r.tallies, db_.all<session::Tally>("SELECT lane, type, count, highest_number, last_seq, last_time FROM tallies WHERE "
                                            "session = ? ORDER BY lane, type",
                                            {row.key}, decode_tally));
  return {};
}

Result<void> SqliteTables::insert_row(SessionRow& row) {
  HF_TRY(const auto highest, db_.number("SELECT max(key) FROM sessions"));
  row.key = highest.value_or(0) + 1;
  HF_TRY(row.bucket, put_in_bucket(db_, row.record, 0));
  const SessionRecord& r = row.record;
  const std::string linked_roots = list_to_text(r.linked_roots);
  const std::string tags = list_to_text(r.tags);
  static const std::string sql = fmt::format(
      "INSERT INTO sessions({}) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
      "?, ?, ?, ?, ?, ?, ?)",
      record_columns());
  HF_CHECK(db_.run(sql, row.key, r.id, r.kind, r.title, r.root_uri, r.root_name, linked_roots, r.project, r.task, r.aspect,
                   r.domain, tags, r.status, static_cast<std::int64_t>(r.visibility), r.prior_status,
                   static_cast<std::int64_t>(r.prior_visibility), r.pinned, r.principal, r.client, r.rev, r.created_at,
                   r.updated_at, r.last_activity_at, r.last_accessed_at, r.archived_at, r.deleted_at, r.completed_at,
                   r.retention_anchor_at, r.due_at, row.changed, row.entries, Blob{bytes_of(row.head)},
                   Blob{checksum_of(row, linked_roots, tags)}, row.bucket));
  row.stored_due = r.due_at;
  HF_CHECK(write_texts(db_, row));
  return write_lookups(db_, row);
}

Result<void> SqliteTables::update_row(SessionRow& row, const SessionRecord& /*before*/) {
  updated_.emplace_back(row.changed, row.key);
  const SessionRecord& r = row.record;
  const std::string linked_roots = list_to_text(r.linked_roots);
  const std::string tags = list_to_text(r.tags);
  HF_TRY(const std::int64_t bucket, put_in_bucket(db_, r, row.bucket));
  HF_CHECK(db_.run(
      "UPDATE sessions SET title = ?, root_uri = ?, root_name = ?, linked_roots = ?, project = ?, task = ?, aspect = ?, "
      "domain = ?, tags = ?, status = ?, visibility = ?, prior_status = ?, prior_visibility = ?, pinned = ?, principal = ?, "
      "client = ?, rev = ?, updated_at = ?, last_activity_at = ?, last_accessed_at = ?, archived_at = ?, deleted_at = ?, "
      "completed_at = ?, retention_anchor_at = ?, changed = ?, entries = ?, head = ?, checksum = ? WHERE key = ?",
      r.title, r.root_uri, r.root_name, linked_roots, r.project, r.task, r.aspect, r.domain, tags, r.status,
      static_cast<std::int64_t>(r.visibility), r.prior_status, static_cast<std::int64_t>(r.prior_visibility), r.pinned,
      r.principal, r.client, r.rev, r.updated_at, r.last_activity_at, r.last_accessed_at, r.archived_at, r.deleted_at,
      r.completed_at, r.retention_anchor_at, row.changed, row.entries, Blob{bytes_of(row.head)},
      Blob{checksum_of(row, linked_roots, tags)}, row.key));
  HF_CHECK(write_if_moved(db_, row, bucket));
  HF_CHECK(write_texts(db_, row));
  return write_lookups(db_, row);
}

Result<void> SqliteTables::update_head(SessionRow& row) {
  const SessionRecord& r = row.record;
  HF_CHECK(
      db_.run("UPDATE sessions SET rev = ?, updated_at = ?, last_activity_at = ?, last_accessed_at = ?, entries = ?, head = ?, "
              "checksum = ? WHERE key = ?",
              r.rev, r.updated_at, r.last_activity_at, r.last_accessed_at, row.entries, Blob{bytes_of(row.head)},
              Blob{checksum_of(row, list_to_text(r.linked_roots), list_to_text(r.tags))}, row.key));
  return write_if_moved(db_, row, row.bucket);
}

Result<void> SqliteTables::erase_row(const SessionRow& row, const session::Tombstone& tombstone, std::int64_t changed) {
  HF_CHECK(
      db_.run("INSERT INTO erasures SELECT ?1, ifnull(min(sequence), 0), ifnull(max(sequence), 0), ?2 FROM entries "
              "WHERE session = ?2",
              changed, row.key));
  HF_CHECK(take_from_bucket(db_, row.bucket));
  for (std::string_view sql : {"DELETE FROM sessions WHERE key = ?", "DELETE FROM session_texts WHERE session = ?",
                               "DELETE FROM roots WHERE session = ?", "DELETE FROM tags WHERE session = ?",
                               "DELETE FROM tallies WHERE session = ?", "DELETE FROM entries WHERE session = ?"}) {
    HF_CHECK(db_.run(sql, row.key));
  }
  return db_.run("INSERT INTO tombstones VALUES(?, ?, ?, ?, ?, ?, ?)", tombstone.id, tombstone.kind, tombstone.principal,
                 tombstone.deleted_at, tombstone.purged_at, tombstone.reason, changed);
}

Result<void> SqliteTables::note_erasures() {
  for (const auto& [changed, key] : updated_)
    HF_CHECK(db_.run("INSERT OR IGNORE INTO erasures VALUES(?, 0, 0, ?)", changed, key));
  return {};
}

}  // namespace holdfast::store
