#include "store/postgres/rows/row_statements.h"

#include "base/crypto/hash.h"
#include "store/postgres/rows/read_tables.h"
#include "store/postgres/search/indexed_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>

namespace holdfast::store::postgres {

using session::SessionRecord;

namespace {

constexpr std::string_view kNextNumber = "nextval('store_sequence')";

std::int64_t number_of(session::Visibility visibility) {
  return static_cast<std::int64_t>(visibility);
}

}  // namespace

std::int64_t make_session_key() {
  const auto now = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch());
  std::int64_t random = 0;
  for (const char c : random_bytes(3)) random = random << 8 | static_cast<unsigned char>(c);
  std::int64_t key = (now.count() & 0x1ffffffffff) << 22 | (random & 0x3fffff);
  // A copy makes hundreds in a millisecond; among those chance would not be enough.
  static std::atomic<std::int64_t> last = 0;
  std::int64_t before = last.load();
  do {
    key = std::max(key, before + 1);
  } while (!last.compare_exchange_weak(before, key));
  return key;
}

Statement insert_session(const SessionRow& row) {
  const SessionRecord& r = row.record;
  const std::string linked_roots = list_to_text(r.linked_roots);
  const std::string tags = list_to_text(r.tags);
  static const std::string sql = fmt::format(
      "INSERT INTO sessions({}) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
      "{}, "
      "?, ?, ?)",
      kSessionColumns, kNextNumber);
  return {sql,
          {row.key,
           r.id,
           r.kind,
           r.title,
           r.root_uri,
           r.root_name,
           linked_roots,
           r.project,
           r.task,
           r.aspect,
           r.domain,
           tags,
           r.status,
           number_of(r.visibility),
           r.prior_status,
           number_of(r.prior_visibility),
           r.pinned ? 1 : 0,
           r.principal,
           r.client,
           r.rev,
           r.created_at,
           r.updated_at,
           r.last_activity_at,
           r.last_accessed_at,
           r.archived_at,
           r.deleted_at,
           r.completed_at,
           r.retention_anchor_at,
           r.due_at,
           row.entries,
           bytes_of(row.head),
           checksum_of(row, linked_roots, tags)}};
}

Statement update_session(const SessionRow& row) {
  const SessionRecord& r = row.record;
  const std::string linked_roots = list_to_text(r.linked_roots);
  const std::string tags = list_to_text(r.tags);
  static const std::string sql = fmt::format(
      "UPDATE sessions SET title = ?, root_uri = ?, root_name = ?, linked_roots = ?, project = ?, task = ?, aspect = ?, "
      "domain = ?, tags = ?, status = ?, visibility = ?, prior_status = ?, prior_visibility = ?, pinned = ?, principal = ?, "
      "client = ?, rev = ?, updated_at = ?, last_activity_at = ?, last_accessed_at = ?, archived_at = ?, deleted_at = ?, "
      "completed_at = ?, retention_anchor_at = ?, due_at = ?, entries = ?, head = ?, checksum = ?, changed = {} WHERE key = ?",
      kNextNumber);
  return {sql,
          {r.title,
           r.root_uri,
           r.root_name,
           linked_roots,
           r.project,
           r.task,
           r.aspect,
           r.domain,
           tags,
           r.status,
           number_of(r.visibility),
           r.prior_status,
           number_of(r.prior_visibility),
           r.pinned ? 1 : 0,
           r.principal,
           r.client,
           r.rev,
           r.updated_at,
           r.last_activity_at,
           r.last_accessed_at,
           r.archived_at,
           r.deleted_at,
           r.completed_at,
           r.retention_anchor_at,
           r.due_at,
           row.entries,
           bytes_of(row.head),
           checksum_of(row, linked_roots, tags),
           row.key}};
}

Statement update_session_head(const SessionRow& row) {
  const SessionRecord& r = row.record;
  return {
      "UPDATE sessions SET rev = ?, updated_at = ?, last_activity_at = ?, last_accessed_at = ?, due_at = ?, entries = ?, "
      "head = ?, checksum = ? WHERE key = ?",
      {r.rev, r.updated_at, r.last_activity_at, r.last_accessed_at, r.due_at, row.entries, bytes_of(row.head),
       checksum_of(row, list_to_text(r.linked_roots), list_to_text(r.tags)), row.key}};
}

Statement write_session_texts(const SessionRow& row) {
  const SessionRecord& r = row.record;
  const std::string data = to_json(r.data);
  return {
      "INSERT INTO session_texts VALUES(?, ?, ?, ?, ?, ?, array_to_tsvector(?)) ON CONFLICT(session) DO UPDATE SET "
      "description = excluded.description, opening = excluded.opening, folded = excluded.folded, data = excluded.data, "
      "checksum = excluded.checksum, words = excluded.words",
      {row.key, r.description, r.opening, folded_text(r), data, checksum_of_texts(r.description, r.opening, data),
       indexed_words(searched_text(r.title, r.description, list_to_text(r.tags)))}};
}

Statement insert_entry_row(const SessionRow& row, const Digest& previous, const session::Entry& entry, std::string salt) {
  static const std::string sql = fmt::format(
      "INSERT INTO entries VALUES({}, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, NULL, ?, ?, array_to_tsvector(?))", kNextNumber);
  return {sql,
          {row.key, entry.seq, entry.type, entry.lane, entry.number, entry.time, entry.author, entry.run,
           entry.idempotency_key.empty() ? Param::null_bytes() : Param(entry.idempotency_key), bytes_of(previous),
           bytes_of(entry.hash), std::move(salt), entry.data, entry.text, indexed_words(entry.text)}};
}

Statement add_to_tally(std::int64_t session, const session::Tally& more) {
  return {
      "INSERT INTO tallies VALUES(?, ?, ?, ?, ?, ?, ?) ON CONFLICT(session, lane, type) DO UPDATE SET "
      "count = tallies.count + excluded.count, highest_number = greatest(tallies.highest_number, excluded.highest_number), "
      "last_seq = excluded.last_seq, last_time = excluded.last_time",
      {session, more.lane, more.type, more.count, more.highest_number, more.last_seq, more.last_time}};
}

}  // namespace holdfast::store::postgres
