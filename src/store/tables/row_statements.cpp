#include "store/tables/row_statements.h"

#include <fmt/format.h>

namespace holdfast::store {

using session::SessionRecord;

namespace {

// The columns that one statement writes, for an INSERT and for an UPDATE.
struct WrittenColumns {
  std::string names, marks, changes;
  SqlValues values;

  void put_mark(std::string_view name, std::string_view mark) {
    const std::string_view comma = names.empty() ? "" : ", ";
    names.append(comma).append(name);
    marks.append(comma).append(mark);
    changes.append(comma).append(name).append(" = ").append(mark);
  }
  void put(std::string_view name, const SqlValue& value) {
    put_mark(name, "?");
    values.push_back(value);
  }
  void put_number(std::string_view name, std::string_view number, std::int64_t given) {
    put_mark(name, number);
    if (number == "?") values.emplace_back(given);
  }
};

std::int64_t number_of(session::Visibility visibility) {
  return static_cast<std::int64_t>(visibility);
}

// Texts that the columns are made of; they live as long as the statement is put together.
struct MadeTexts {
  std::string linked_roots, tags, checksum;
  explicit MadeTexts(const SessionRow& row)
      : linked_roots(list_to_text(row.record.linked_roots)),
        tags(list_to_text(row.record.tags)),
        checksum(checksum_of(row, linked_roots, tags)) {}
};

void put_head(WrittenColumns& columns, const SessionRow& row, const MadeTexts& made, const Moved& moved) {
  const SessionRecord& r = row.record;
  columns.put("rev", r.rev);
  columns.put("updated_at", r.updated_at);
  columns.put("last_activity_at", r.last_activity_at);
  columns.put("last_accessed_at", r.last_accessed_at);
  columns.put("entries", row.entries);
  columns.put("head", Blob{bytes_of(row.head)});
  columns.put("checksum", Blob{made.checksum});
  if (moved.due) columns.put("due_at", r.due_at);
  if (moved.bucket) columns.put("shelf", row.bucket);
}

void put_record(WrittenColumns& columns, const SessionRow& row, const MadeTexts& made) {
  const SessionRecord& r = row.record;
  columns.put("title", r.title);
  columns.put("root_uri", r.root_uri);
  columns.put("root_name", r.root_name);
  columns.put("linked_roots", made.linked_roots);
  columns.put("project", r.project);
  columns.put("task", r.task);
  columns.put("aspect", r.aspect);
  columns.put("domain", r.domain);
  columns.put("tags", made.tags);
  columns.put("status", r.status);
  columns.put("visibility", number_of(r.visibility));
  columns.put("prior_status", r.prior_status);
  columns.put("prior_visibility", number_of(r.prior_visibility));
  columns.put("pinned", std::int64_t{r.pinned});
  columns.put("principal", r.principal);
  columns.put("client", r.client);
  columns.put("archived_at", r.archived_at);
  columns.put("deleted_at", r.deleted_at);
  columns.put("completed_at", r.completed_at);
  columns.put("retention_anchor_at", r.retention_anchor_at);
}

Result<void> update(SqlWriter& sql, const SessionRow& row, WrittenColumns& columns) {
  columns.values.emplace_back(row.key);
  return sql.change(fmt::format("UPDATE sessions SET {} WHERE key = ?", columns.changes), columns.values);
}

// The end of an INSERT with a value more, and of the update that takes its place.
std::string_view words_mark(const std::optional<SqlValue>& words) {
  return words ? ", array_to_tsvector(?)" : "";
}

}  // namespace

Result<void> insert_session(SqlWriter& sql, const SessionRow& row, std::string_view number, bool has_bucket) {
  const MadeTexts made(row);
  WrittenColumns columns;
  columns.put("key", row.key);
  columns.put("id", row.record.id);
  columns.put("kind", row.record.kind);
  columns.put("created_at", row.record.created_at);
  put_record(columns, row, made);
  put_head(columns, row, made, {true, has_bucket});
  columns.put_number("changed", number, row.changed);
  return sql.change(fmt::format("INSERT INTO sessions({}) VALUES({})", columns.names, columns.marks), columns.values);
}

Result<void> update_session(SqlWriter& sql, const SessionRow& row, std::string_view number, const Moved& moved) {
  const MadeTexts made(row);
  WrittenColumns columns;
  put_record(columns, row, made);
  put_head(columns, row, made, moved);
  columns.put_number("changed", number, row.changed);
  return update(sql, row, columns);
}

Result<void> update_session_head(SqlWriter& sql, const SessionRow& row, const Moved& moved) {
  const MadeTexts made(row);
  WrittenColumns columns;
  put_head(columns, row, made, moved);
  return update(sql, row, columns);
}

Result<void> write_session_texts(SqlWriter& sql, const SessionRow& row, const std::optional<SqlValue>& words) {
  const SessionRecord& r = row.record;
  const std::string data = to_json(r.data), folded = folded_text(r);
  const std::string checksum = checksum_of_texts(r.description, r.opening, data);
  SqlValues values{row.key, r.description, r.opening, folded, data, Blob{checksum}};
  if (words) values.push_back(*words);
  return sql.change(
      fmt::format(
          "INSERT INTO session_texts VALUES(?, ?, ?, ?, ?, ?{}) ON CONFLICT(session) DO UPDATE SET "
          "description = excluded.description, opening = excluded.opening, folded = excluded.folded, data = excluded.data, "
          "checksum = excluded.checksum{}",
          words_mark(words), words ? ", words = excluded.words" : ""),
      values);
}

Result<void> write_session_lookups(SqlWriter& sql, const SessionRow& row, const SessionRecord* before, const Moved& moved) {
  const SessionRecord& r = row.record;
  const auto roots = listed_roots(r);
  if (before == nullptr || moved.bucket || listed_roots(*before) != roots) {
    if (before != nullptr) HF_CHECK(sql.change("DELETE FROM roots WHERE session = ?", {row.key}));
    for (const std::string& root : roots) {
      HF_CHECK(row.bucket == 0
                   ? sql.change("INSERT INTO roots(root, session) VALUES(?, ?) ON CONFLICT DO NOTHING", {root, row.key})
                   : sql.change("INSERT INTO roots(root, session, shelf) VALUES(?, ?, ?) ON CONFLICT DO NOTHING",
                                {root, row.key, row.bucket}));
    }
  }
  if (before == nullptr || before->tags != r.tags) {
    if (before != nullptr) HF_CHECK(sql.change("DELETE FROM tags WHERE session = ?", {row.key}));
    for (const std::string& tag : r.tags)
      HF_CHECK(sql.change("INSERT INTO tags(tag, session) VALUES(?, ?) ON CONFLICT DO NOTHING", {tag, row.key}));
  }
  return {};
}

Result<void> erase_session(SqlWriter& sql, const SessionRow& row, const session::Tombstone& tombstone, std::string_view number,
                           std::int64_t changed) {
  for (const std::string_view table : {"session_texts", "roots", "tags", "tallies", "entries"})
    HF_CHECK(sql.change(fmt::format("DELETE FROM {} WHERE session = ?", table), {row.key}));
  HF_CHECK(sql.change("DELETE FROM sessions WHERE key = ?", {row.key}));
  SqlValues values{tombstone.id,         tombstone.kind,      tombstone.principal,
                   tombstone.deleted_at, tombstone.purged_at, tombstone.reason};
  if (number == "?") values.emplace_back(changed);
  return sql.change(fmt::format("INSERT INTO tombstones VALUES(?, ?, ?, ?, ?, ?, {})", number), values);
}

Result<void> insert_entry_row(SqlWriter& sql, const SessionRow& row, const NextEntry& next, std::string_view number,
                              const std::optional<SqlValue>& words) {
  const session::Entry& entry = next.entry;
  SqlValues values;
  if (number == "?") values.emplace_back(entry.sequence);
  const SqlValue key = entry.idempotency_key.empty() ? SqlValue::null_of(SqlValue::Type::text) : SqlValue(entry.idempotency_key);
  const SqlValues others{row.key,
                         entry.seq,
                         entry.type,
                         entry.lane,
                         entry.number,
                         entry.time,
                         entry.author,
                         entry.run,
                         key,
                         Blob{bytes_of(row.head)},
                         Blob{bytes_of(entry.hash)},
                         Blob{next.salt},
                         Blob{entry.data},
                         Blob{entry.text}};
  values.insert(values.end(), others.begin(), others.end());
  if (words) values.push_back(*words);
  return sql.change(
      fmt::format("INSERT INTO entries VALUES({}, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, NULL, ?, ?{})", number, words_mark(words)),
      values);
}

Result<void> add_to_tally(SqlWriter& sql, std::int64_t session, const session::Tally& more) {
  return sql.change(
      "INSERT INTO tallies VALUES(?, ?, ?, ?, ?, ?, ?) ON CONFLICT(session, lane, type) DO UPDATE SET "
      "count = tallies.count + excluded.count, highest_number = CASE WHEN excluded.highest_number > tallies.highest_number THEN "
      "excluded.highest_number ELSE tallies.highest_number END, last_seq = excluded.last_seq, last_time = excluded.last_time",
      {session, more.lane, more.type, more.count, more.highest_number, more.last_seq, more.last_time});
}

Result<session::LineageEvent> insert_lineage_event(Sql& sql, session::LineageEvent event) {
  const std::string details = to_json(event.details);
  HF_CHECK(sql.each("INSERT INTO lineage(child, parent, how, time, details) VALUES(?, ?, ?, ?, ?) RETURNING number",
                    {event.child, event.parent, event.how, event.when, details}, [&](const Columns& columns) {
                      event.number = columns.integer(0);
                      return true;
                    }));
  return event;
}

Result<std::int64_t> read_value_rev(Sql& sql, std::string_view space, std::string_view key, Millis now) {
  HF_TRY(const auto rev,
         sql.first<std::int64_t>("SELECT rev FROM keyed WHERE space = ? AND key = ? AND coalesce(expires_at > ?, TRUE)",
                                 {space, key, now}, [](const Columns& columns) { return columns.integer(0); }));
  return rev.value_or(0);
}

Result<void> write_keyed_value(SqlWriter& sql, const session::KeyedValue& value) {
  const std::string text = to_json(value.value);
  return sql.change(
      "INSERT INTO keyed VALUES(?, ?, ?, ?, ?, ?) ON CONFLICT(space, key) DO UPDATE SET value = excluded.value, "
      "rev = excluded.rev, updated_at = excluded.updated_at, expires_at = excluded.expires_at",
      {value.space, value.key, text, value.rev, value.updated_at, value.expires_at});
}

Result<void> erase_keyed_value(SqlWriter& sql, std::string_view space, std::string_view key) {
  return sql.change("DELETE FROM keyed WHERE space = ? AND key = ?", {space, key});
}

Result<void> write_lease_row(SqlWriter& sql, const session::Lease& lease) {
  return sql.change(
      "INSERT INTO leases VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT(name) DO UPDATE SET host = excluded.host, "
      "pid = excluded.pid, started = excluded.started, token = excluded.token, epoch = excluded.epoch, "
      "renewed_boot = excluded.renewed_boot, renewed_wall = excluded.renewed_wall, ttl = excluded.ttl",
      {lease.name, lease.owner.host, lease.owner.pid, lease.owner.started, lease.owner.token, lease.epoch, lease.renewed.boot,
       lease.renewed.wall, lease.ttl});
}

}  // namespace holdfast::store
