#include "store/sqlite/record_rows.h"

#include "base/text.h"
#include "session/length_prefix.h"
#include "store/sqlite/shelves.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::store {

using session::SessionRecord;
using session::Visibility;

namespace {

constexpr std::string_view kColumns =
    "key, id, kind, title, root_uri, root_name, linked_roots, project, task, aspect, domain, tags, status, visibility, "
    "prior_status, prior_visibility, pinned, principal, client, rev, created_at, updated_at, last_activity_at, "
    "last_accessed_at, archived_at, deleted_at, completed_at, retention_anchor_at, due_at, changed, entries, head, checksum, "
    "shelf";

constexpr std::size_t kChecksumBytes = 16;  // against accidents; the entries' chain is against tampering

std::string list_to_text(const std::vector<std::string>& items) {
  JsonArray array;
  for (const std::string& item : items) array.emplace_back(std::string_view(item));
  return to_json(Json(std::move(array)));
}

bool list_from_text(std::string_view text, std::vector<std::string>& items) {
  auto json = parse_json(text);
  if (!json || !json->is_array()) return false;
  for (const Json& item : json->get_array()) {
    if (!item.is_string()) return false;
    items.emplace_back(view(item.get_string()));
  }
  return true;
}

void put_optional(std::string& out, const std::optional<Millis>& value) {
  out.push_back(value ? '+' : '-');
  if (value) session::put_integer(out, *value);
}

std::string shortened(const Digest& digest) {
  return std::string(bytes_of(digest).substr(0, kChecksumBytes));
}

std::string checksum_of(const SessionRow& row, std::string_view linked_roots, std::string_view tags) {
  const SessionRecord& r = row.record;
  std::string all;
  all.reserve(512);
  session::put_integer(all, row.key);
  for (std::string_view text :
       {std::string_view(r.id), std::string_view(r.kind), std::string_view(r.title), std::string_view(r.root_uri),
        std::string_view(r.root_name), linked_roots, std::string_view(r.project), std::string_view(r.task),
        std::string_view(r.aspect), std::string_view(r.domain), tags, std::string_view(r.status),
        std::string_view(r.prior_status), std::string_view(r.principal), std::string_view(r.client)}) {
    session::put_string(all, text);
  }
  for (std::int64_t number : {static_cast<std::int64_t>(r.visibility), static_cast<std::int64_t>(r.prior_visibility),
                              static_cast<std::int64_t>(r.pinned), r.rev, r.created_at, r.updated_at, r.last_activity_at,
                              r.last_accessed_at, row.changed, row.entries}) {
    session::put_integer(all, number);
  }
  for (const auto& time : {r.archived_at, r.deleted_at, r.completed_at, r.retention_anchor_at, r.due_at}) {
    put_optional(all, time);
  }
  session::put_string(all, bytes_of(row.head));
  return shortened(sha256(all));
}

std::string checksum_of_texts(std::string_view description, std::string_view opening, std::string_view data) {
  std::string all;
  session::put_string(all, description);
  session::put_string(all, opening);
  session::put_string(all, data);
  return shortened(sha256(all));
}

void add_damage(SessionRecord& record, std::string_view what) {
  if (!record.damage) {
    record.damage = what;
  } else {
    record.damage->append("; ").append(what);
  }
}

Visibility visibility_of(std::int64_t stored, SessionRecord& record) {
  if (stored >= 0 && stored <= static_cast<std::int64_t>(Visibility::deleted)) return static_cast<Visibility>(stored);
  add_damage(record, "unknown visibility");
  return Visibility::live;
}

SessionRow decode(const Rows& rows) {
  SessionRow row;
  SessionRecord& r = row.record;
  row.key = rows.integer(0);
  r.id = rows.text(1);
  r.kind = rows.text(2);
  r.title = rows.text(3);
  r.root_uri = rows.text(4);
  r.root_name = rows.text(5);
  if (!list_from_text(rows.text(6), r.linked_roots)) add_damage(r, "linked roots cannot be read");
  r.project = rows.text(7);
  r.task = rows.text(8);
  r.aspect = rows.text(9);
  r.domain = rows.text(10);
  if (!list_from_text(rows.text(11), r.tags)) add_damage(r, "tags cannot be read");
  r.status = rows.text(12);
  r.visibility = visibility_of(rows.integer(13), r);
  r.prior_status = rows.text(14);
  r.prior_visibility = visibility_of(rows.integer(15), r);
  r.pinned = rows.integer(16) != 0;
  r.principal = rows.text(17);
  r.client = rows.text(18);
  r.rev = rows.integer(19);
  r.created_at = rows.integer(20);
  r.updated_at = rows.integer(21);
  r.last_activity_at = rows.integer(22);
  r.last_accessed_at = rows.integer(23);
  r.archived_at = rows.optional_integer(24);
  r.deleted_at = rows.optional_integer(25);
  r.completed_at = rows.optional_integer(26);
  r.retention_anchor_at = rows.optional_integer(27);
  r.due_at = rows.optional_integer(28);
  row.changed = rows.integer(29);
  row.entries = rows.integer(30);
  const std::string_view head = rows.text(31);
  if (head.size() == row.head.size()) std::copy(head.begin(), head.end(), row.head.begin());
  row.shelf = rows.integer(33);
  row.stored_due = r.due_at;
  if (rows.text(32) != checksum_of(row, rows.text(6), rows.text(11))) add_damage(r, "the record does not fit its checksum");
  return row;
}

Result<std::optional<SessionRow>> first_row(Result<Rows> rows) {
  if (!rows) return fail(std::move(rows).error());
  HF_TRY(const bool found, rows->next());
  if (!found) return std::optional<SessionRow>();
  return decode(*rows);
}

// What a list's text filter looks into.
std::string folded_text(const SessionRecord& record) {
  std::string all = record.title + '\n' + record.description + '\n' + record.opening;
  for (const std::string& tag : record.tags) all.append("\n").append(tag);
  return fold_case(all);
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
  // A session without any root is found under '', the root that no session has.
  const bool rootless = r.root_uri.empty() && r.linked_roots.empty();
  const auto add_root = [&](std::string_view root) {
    return db.run("INSERT OR IGNORE INTO roots VALUES(?, ?, ?)", root, row.shelf, row.key);
  };
  if (rootless || !r.root_uri.empty()) HF_CHECK(add_root(r.root_uri));
  for (const std::string& root : r.linked_roots) HF_CHECK(add_root(root));
  for (const std::string& tag : r.tags) HF_CHECK(db.run("INSERT OR IGNORE INTO tags VALUES(?, ?)", tag, row.key));
  return {};
}

// An index is written when a column of it is named, whether or not its value is another one.
Result<void> write_if_moved(Db& db, SessionRow& row, std::int64_t shelf) {
  if (row.record.due_at != row.stored_due) {
    HF_CHECK(db.run("UPDATE sessions SET due_at = ? WHERE key = ?", row.record.due_at, row.key));
    row.stored_due = row.record.due_at;
  }
  if (shelf != row.shelf) {
    HF_CHECK(db.run("UPDATE sessions SET shelf = ? WHERE key = ?", shelf, row.key));
    row.shelf = shelf;
  }
  return {};
}

}  // namespace

Result<std::optional<SessionRow>> find_row(Db& db, std::string_view id) {
  static const std::string sql = fmt::format("SELECT {} FROM sessions WHERE id = ?", kColumns);
  return first_row(db.query(sql, id));
}

Result<std::optional<SessionRow>> find_row(Db& db, std::int64_t key) {
  static const std::string sql = fmt::format("SELECT {} FROM sessions WHERE key = ?", kColumns);
  return first_row(db.query(sql, key));
}

Result<std::vector<SessionRow>> rows_after(Db& db, std::string_view id, std::size_t limit) {
  static const std::string sql = fmt::format("SELECT {} FROM sessions WHERE id > ? ORDER BY id LIMIT ?", kColumns);
  HF_TRY(auto rows, db.query(sql, id, limit));
  std::vector<SessionRow> found;
  while (true) {
    HF_TRY(const bool more, rows.next());
    if (!more) return found;
    found.push_back(decode(rows));
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
      r.description = rows.text(0);
      r.opening = rows.text(1);
      auto data = parse_json(rows.text(2));
      if (data && data->is_object()) {
        r.data = std::move(data->get_object());
      } else {
        add_damage(r, "data cannot be read");
      }
      if (rows.text(3) != checksum_of_texts(r.description, r.opening, rows.text(2))) {
        add_damage(r, "description and data do not fit their checksum");
      }
    }
  }
  HF_TRY(auto rows, db.query("SELECT lane, type, count, highest_number, last_seq, last_time FROM tallies WHERE session = ? "
                             "ORDER BY lane, type",
                             row.key));
  while (true) {
    HF_TRY(const bool more, rows.next());
    if (!more) return {};
    r.tallies.push_back({std::string(rows.text(0)), std::string(rows.text(1)), rows.integer(2), rows.integer(3), rows.integer(4),
                         rows.integer(5)});
  }
}

Result<void> insert_row(Db& db, SessionRow& row) {
  HF_TRY(const auto highest, db.number("SELECT max(key) FROM sessions"));
  row.key = highest.value_or(0) + 1;
  HF_TRY(row.shelf, put_on_shelf(db, row.record, 0));
  const SessionRecord& r = row.record;
  const std::string linked_roots = list_to_text(r.linked_roots);
  const std::string tags = list_to_text(r.tags);
  static const std::string sql = fmt::format(
      "INSERT INTO sessions({}) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
      "?, ?, ?, ?, ?, ?, ?)",
      kColumns);
  HF_CHECK(db.run(sql, row.key, r.id, r.kind, r.title, r.root_uri, r.root_name, linked_roots, r.project, r.task, r.aspect,
                  r.domain, tags, r.status, static_cast<std::int64_t>(r.visibility), r.prior_status,
                  static_cast<std::int64_t>(r.prior_visibility), r.pinned, r.principal, r.client, r.rev, r.created_at,
                  r.updated_at, r.last_activity_at, r.last_accessed_at, r.archived_at, r.deleted_at, r.completed_at,
                  r.retention_anchor_at, r.due_at, row.changed, row.entries, Blob{bytes_of(row.head)},
                  Blob{checksum_of(row, linked_roots, tags)}, row.shelf));
  row.stored_due = r.due_at;
  HF_CHECK(write_texts(db, row));
  return write_lookups(db, row);
}

Result<void> update_row(Db& db, SessionRow& row) {
  const SessionRecord& r = row.record;
  const std::string linked_roots = list_to_text(r.linked_roots);
  const std::string tags = list_to_text(r.tags);
  HF_TRY(const std::int64_t shelf, put_on_shelf(db, r, row.shelf));
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
  HF_CHECK(write_if_moved(db, row, shelf));
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
  return write_if_moved(db, row, row.shelf);
}

Result<void> erase_row(Db& db, const SessionRow& row) {
  HF_CHECK(take_from_shelf(db, row.shelf));
  for (std::string_view sql : {"DELETE FROM sessions WHERE key = ?", "DELETE FROM session_texts WHERE session = ?",
                               "DELETE FROM roots WHERE session = ?", "DELETE FROM tags WHERE session = ?",
                               "DELETE FROM tallies WHERE session = ?", "DELETE FROM entries WHERE session = ?"}) {
    HF_CHECK(db.run(sql, row.key));
  }
  return {};
}

}  // namespace holdfast::store
