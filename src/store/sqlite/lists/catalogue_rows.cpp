#include "store/sqlite/lists/catalogue_rows.h"

#include "store/sqlite/rows/event_rows.h"

#include <fmt/format.h>

namespace holdfast::store {

namespace {

constexpr std::string_view kSelect =
    "SELECT s.key, s.id, s.shelf, s.updated_at, s.created_at, s.due_key, s.project, s.task, s.aspect, t.folded FROM sessions AS "
    "s "
    "LEFT JOIN session_texts AS t ON t.session = s.key WHERE s.key ";

// Columns of kSelect, but for the labels.
void decode_row(const Rows& rows, CatalogueRow& row) {
  row.key = rows.integer(0);
  row.id = rows.text(1);
  row.bucket = rows.integer(2);
  row.updated_at = rows.integer(3);
  row.created_at = rows.integer(4);
  row.due_key = rows.integer(5);
  row.labels.clear();
  row.text = rows.text(9);
}

// Roots or tags, session by session beside the sessions themselves.
class Beside {
 public:
  Beside(Rows rows, LabelSort sort) : rows_(std::move(rows)), sort_(sort) {}

  Result<void> add_to(CatalogueRow& row, CatalogueColumns& columns) {
    if (!begun_) HF_CHECK(step());
    begun_ = true;
    while (more_ && rows_.integer(0) <= row.key) {
      if (rows_.integer(0) == row.key) row.labels.push_back(columns.label(sort_, rows_.text(1)));
      HF_CHECK(step());
    }
    return {};
  }

 private:
  Result<void> step() {
    HF_TRY(more_, rows_.next());
    return {};
  }

  Rows rows_;
  LabelSort sort_;
  bool begun_ = false;
  bool more_ = false;
};

Result<void> collect_keys(Db& db, std::string_view sql, std::int64_t since, std::set<std::int64_t>& keys) {
  HF_TRY(auto rows, db.query(sql, since));
  while (true) {
    HF_TRY(const bool more, rows.next());
    if (!more) return {};
    keys.insert(rows.integer(0));
  }
}

Result<std::set<std::string, std::less<>>> purged_since(Db& db, std::int64_t since) {
  HF_TRY(auto rows, db.query("SELECT id FROM tombstones WHERE changed > ?", since));
  std::set<std::string, std::less<>> ids;
  while (true) {
    HF_TRY(const bool more, rows.next());
    if (!more) return ids;
    ids.emplace(rows.text(0));
  }
}

// Sessions of the range of keys; all of them were there before or are new.
Result<bool> read_range(Db& db, std::int64_t first, std::int64_t last, CatalogueColumns& columns) {
  static const std::string sql = fmt::format("{}BETWEEN ? AND ? ORDER BY s.key", kSelect);
  HF_TRY(auto rows, db.query(sql, first, last));
  HF_TRY(auto root_rows,
         db.query("SELECT session, root FROM roots INDEXED BY roots_session WHERE session BETWEEN ? AND ? ORDER BY session",
                  first, last));
  HF_TRY(auto tag_rows,
         db.query("SELECT session, tag FROM tags INDEXED BY tags_session WHERE session BETWEEN ? AND ? ORDER BY session", first,
                  last));
  Beside roots(std::move(root_rows), LabelSort::root);
  Beside tags(std::move(tag_rows), LabelSort::tag);
  CatalogueRow row;
  while (true) {
    HF_TRY(const bool more, rows.next());
    if (!more) return true;
    decode_row(rows, row);
    // In the order in which they are asked for: a scan stops at the last one it needs.
    HF_CHECK(roots.add_to(row, columns));
    HF_CHECK(tags.add_to(row, columns));
    row.labels.push_back(columns.label(LabelSort::project, rows.text(6)));
    row.labels.push_back(columns.label(LabelSort::task, rows.text(7)));
    row.labels.push_back(columns.label(LabelSort::aspect, rows.text(8)));
    if (!columns.put(row)) return false;
  }
}

}  // namespace

Result<CatalogueStamp> read_stamp(Db& db) {
  CatalogueStamp stamp;
  HF_TRY(stamp.sequence, read_last_sequence(db));
  HF_TRY(const auto recounts, db.number("SELECT CAST(value AS INTEGER) FROM meta WHERE name = 'recounts'"));
  stamp.recounts = recounts.value_or(0);
  return stamp;
}

Result<void> note_recount(Db& db) {
  return db.run(
      "INSERT INTO meta VALUES('recounts', CAST(1 AS BLOB)) "
      "ON CONFLICT(name) DO UPDATE SET value = CAST(CAST(value AS INTEGER) + 1 AS BLOB)");
}

Result<CatalogueColumns> read_columns(Db& db, std::int64_t sessions) {
  CatalogueColumns columns;
  columns.reserve(static_cast<std::size_t>(sessions));
  HF_TRY(const auto last, db.number("SELECT max(key) FROM sessions"));
  HF_CHECK(read_range(db, 0, last.value_or(0), columns));
  columns.shrink();
  return columns;
}

Result<bool> update_columns(Db& db, std::int64_t since, CatalogueColumns& columns) {
  std::set<std::int64_t> keys;
  HF_CHECK(collect_keys(db, "SELECT DISTINCT session FROM entries WHERE sequence > ?", since, keys));
  HF_CHECK(collect_keys(db, "SELECT key FROM sessions WHERE changed > ?", since, keys));
  // The key of the last session is given away again when that is purged: what a purge frees, another may have by now.
  HF_TRY(const auto purged, purged_since(db, since));
  for (const std::int64_t key : columns.keys_of(purged)) {
    columns.remove(key);
    keys.insert(key);
  }
  for (const std::int64_t key : keys) {
    HF_TRY(const bool fits, read_range(db, key, key, columns));
    if (!fits) return false;
  }
  return !columns.mostly_waste();
}

}  // namespace holdfast::store
