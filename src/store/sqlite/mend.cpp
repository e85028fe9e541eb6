#include "store/sqlite/mend.h"

#include "store/sqlite/lists/shelves.h"
#include "store/sqlite/rows/table_rows.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace holdfast::store {

namespace {

constexpr std::string_view kNew = "mended_";

struct Tree {
  std::string name;
  std::string table;
  std::string sql;  // empty: an index that belongs to a rule of its table
};

Result<std::vector<Tree>> read_trees(Db& db, std::string_view type) {
  HF_TRY(auto rows, db.query("SELECT name, tbl_name, sql FROM sqlite_schema WHERE type = ? AND rootpage > 0 AND name NOT IN "
                             "('sqlite_sequence') ORDER BY name",
                             type));
  std::vector<Tree> trees;
  while (true) {
    HF_TRY(const bool more, rows.next());
    if (!more) return trees;
    trees.push_back({std::string(rows.text(0)), std::string(rows.text(1)), std::string(rows.text(2))});
  }
}

// The first occurrence behind a blank: names stand so in what this program has written into the schema.
std::string renamed(std::string sql, const std::string& name) {
  if (const std::size_t at = sql.find(" " + name); at != std::string::npos) sql.insert(at + 1, kNew);
  return sql;
}

std::string named_new(std::string_view name) {
  return fmt::format("{}{}", kNew, name);
}

// Row by row: counting, SQLite would take whichever tree is smaller.
Result<bool> can_be_read(Db& db, const std::string& sql) {
  auto rows = db.query(sql);
  while (rows) {
    const auto more = rows->next();
    if (!more) {
      rows = fail(more.error());
      break;
    }
    if (!*more) return true;
  }
  if (rows.error().kind == ErrorKind::corrupt) return false;
  return fail(std::move(rows).error());
}

class Mending {
 public:
  // A transaction that has come to a damaged page can change no schema any more. So `old` looks, and `db` only goes where all is
  // sound.
  Mending(Db& old, Db& db, Look look) : old_(old), db_(db), look_(look) {}

  Result<Mended> run() {
    HF_TRY(const auto tables, read_trees(old_, "table"));
    HF_TRY(const auto indexes, read_trees(old_, "index"));
    // Those first from which others are filled.
    std::vector<Tree> damaged;
    for (const Tree& table : tables) {
      HF_TRY(const bool sound, is_table_sound(table.name));
      const bool fills_others = table.name == "entries" || table.name == "shelves";
      if (!sound) damaged.insert(fills_others ? damaged.begin() : damaged.end(), table);
    }
    for (const Tree& table : damaged) HF_CHECK(replace_table(table, indexes));
    for (const Tree& index : indexes) {
      if (is_new(index.table)) continue;
      HF_TRY(const bool sound, is_index_sound(index));
      if (!sound) HF_CHECK(replace_index(index));
    }
    if (!mended_.trees.empty()) HF_CHECK(take_new_trees());
    return std::move(mended_);
  }

 private:
  Result<bool> is_index_sound(const Tree& index) {
    const std::size_t where = index.sql.find(" WHERE ");
    return can_be_read(old_, fmt::format("SELECT 1 FROM {} INDEXED BY {}{}", index.table, index.name,
                                         where == std::string::npos ? "" : index.sql.substr(where)));
  }

  // In the order of the table itself, or an index that has all columns would do.
  Result<bool> is_table_sound(const std::string& table) {
    std::string what = "1";
    std::vector<std::string> keys;
    {
      HF_TRY(auto rows, old_.query("SELECT name, pk FROM pragma_table_info(?) ORDER BY pk", table));
      while (true) {
        HF_TRY(const bool more, rows.next());
        if (!more) break;
        if (rows.integer(1) > 0) keys.emplace_back(rows.text(0));
        if (look_ == Look::texts) what += fmt::format(" + ifnull(instr({}, x'00'), 0)", rows.text(0));  // the whole value is read
      }
    }
    return can_be_read(old_, fmt::format("SELECT {} FROM {} NOT INDEXED ORDER BY {}", what, table, fmt::join(keys, ", ")));
  }

  bool is_new(const std::string& name) const { return std::ranges::find(mended_.trees, name) != mended_.trees.end(); }
  std::string now_called(const std::string& table) const { return is_new(table) ? named_new(table) : table; }

  Result<void> replace_index(const Tree& index) {
    std::string sql = renamed(index.sql, index.name);
    if (sql.empty()) {
      std::vector<std::string> columns;
      HF_TRY(auto rows, db_.query("SELECT name FROM pragma_index_info(?) ORDER BY seqno", index.name));
      while (true) {
        HF_TRY(const bool more, rows.next());
        if (!more) break;
        columns.emplace_back(rows.text(0));
      }
      sql = fmt::format("CREATE UNIQUE INDEX {} ON {}({})", named_new(index.name), index.table, fmt::join(columns, ", "));
    }
    HF_CHECK(db_.script(sql));
    in_place_of_.emplace_back(index.name, named_new(index.name));
    mended_.trees.push_back(index.name);
    return {};
  }

  Result<void> replace_table(const Tree& table, const std::vector<Tree>& indexes) {
    const std::string fresh = named_new(table.name);
    HF_CHECK(db_.script(renamed(table.sql, table.name)));
    HF_CHECK(copy_rows(old_, table.name, db_, fresh, mended_.losses));
    in_place_of_.emplace_back(table.name, fresh);
    mended_.trees.push_back(table.name);
    HF_CHECK(fill_in(table.name, fresh));
    for (const Tree& index : indexes) {
      if (index.table != table.name) continue;
      if (index.sql.empty()) {  // made with the table, and numbered as there
        const std::string number = index.name.substr(index.name.rfind('_'));
        in_place_of_.emplace_back(index.name, fmt::format("sqlite_autoindex_{}{}", fresh, number));
        continue;
      }
      std::string sql = renamed(index.sql, index.name);
      if (const std::size_t on = sql.find(" ON "); on != std::string::npos) sql.insert(on + 4, kNew);
      HF_CHECK(db_.script(sql));
      in_place_of_.emplace_back(index.name, named_new(index.name));
    }
    return {};
  }

  // What other trees still know of rows that are lost.
  Result<void> fill_in(const std::string& table, const std::string& fresh) {
    if (table == "entries") {
      return add_known(
          "entries", {{"sqlite_autoindex_entries_1", "entries", {}}},
          fmt::format("INSERT OR IGNORE INTO {} SELECT sequence, session, seq, 'lost', '', 0, 0, '', '', NULL, x'', x'', "
                      "x'00', NULL, x'', x'' FROM entries INDEXED BY sqlite_autoindex_entries_1 WHERE sequence NOT IN "
                      "(SELECT sequence FROM {})",
                      fresh, fresh));
    }
    if (table == "sessions") {
      HF_TRY(const bool has_roots, is_index_sound({"roots_session", "roots", {}}));
      return add_known(
          "sessions", {{"sqlite_autoindex_sessions_1", "sessions", {}}, {"sessions_updated", "sessions", {}}},
          fmt::format(
              "INSERT OR IGNORE INTO {0}(key, id, kind, title, root_uri, root_name, linked_roots, project, task, aspect, domain, "
              "tags, status, visibility, prior_status, prior_visibility, pinned, principal, client, rev, created_at, updated_at, "
              "last_activity_at, last_accessed_at, changed, entries, head, checksum, shelf) "
              "SELECT i.key, i.id, ifnull(h.kind, ''), '', {2}, '', '[]', '', '', ifnull(h.aspect, ''), '', '[]', "
              "ifnull(h.status, ''), ifnull(h.visibility, 0), '', 0, ifnull(h.pinned, 0), ifnull(h.principal, 'local'), '', 0, "
              "ifnull(u.updated_at, 0), ifnull(u.updated_at, 0), ifnull(u.updated_at, 0), 0, 0, 0, zeroblob(32), x'', "
              "ifnull(u.shelf, 0) FROM (SELECT key, id FROM sessions INDEXED BY sqlite_autoindex_sessions_1) AS i "
              "LEFT JOIN (SELECT key, shelf, updated_at FROM sessions INDEXED BY sessions_updated) AS u ON u.key = i.key "
              "LEFT JOIN {1} AS h ON h.number = u.shelf WHERE i.key NOT IN (SELECT key FROM {0})",
              fresh, now_called("shelves"),
              has_roots ? "ifnull((SELECT max(root) FROM roots INDEXED BY roots_session WHERE session = i.key), '')" : "''"));
    }
    if (table == "tallies") {
      return db_.script(
          fmt::format("INSERT OR IGNORE INTO {} SELECT session, lane, type, count(*), max(number), max(seq), max(time) FROM {} "
                      "WHERE type <> 'lost' GROUP BY 1, 2, 3",
                      fresh, now_called("entries")));
    }
    if (table == "tags") {
      return db_.script(fmt::format(
          "INSERT OR IGNORE INTO {} SELECT each.value, s.key FROM {} AS s, json_each(CASE WHEN json_valid(s.tags) THEN "
          "s.tags ELSE '[]' END) AS each WHERE each.type = 'text'",
          fresh, now_called("sessions")));
    }
    return {};
  }

  // With a statement that reads these trees of before.
  Result<void> add_known(std::string_view what, const std::vector<Tree>& read, const std::string& sql) {
    for (const Tree& tree : read) {
      HF_TRY(const bool sound, is_index_sound(tree));
      if (sound) continue;
      mended_.losses.push_back(fmt::format("{}: which ones are lost is not known, {} is damaged, too", what, tree.name));
      return {};
    }
    HF_CHECK(db_.script(sql));
    HF_TRY(const auto number, db_.number("SELECT changes()"));
    mended_.losses.push_back(fmt::format("{} {} are lost", number.value_or(0), what));
    return {};
  }

  // A name in the schema leads to the new root; the temporary names go.
  Result<void> take_new_trees() {
    HF_TRY(const auto version, db_.number("PRAGMA schema_version"));
    HF_CHECK(db_.script("PRAGMA writable_schema=ON"));
    for (const auto& [name, fresh] : in_place_of_) {
      HF_CHECK(db_.run("UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = ?) WHERE name = ?",
                       fresh, name));
      if (db_.changed_rows() != 1) return fail(ErrorKind::internal, fmt::format("the schema has no {}", name));
    }
    HF_CHECK(db_.script("DELETE FROM sqlite_schema WHERE name GLOB 'mended_*' OR tbl_name GLOB 'mended_*'"));
    HF_CHECK(db_.script("DELETE FROM sqlite_sequence WHERE name GLOB 'mended_*'"));
    return db_.script(fmt::format("PRAGMA schema_version={}", version.value_or(0) + 1));
  }

  Db& old_;
  Db& db_;
  const Look look_;
  Mended mended_;
  std::vector<std::pair<std::string, std::string>> in_place_of_;
};

template <class Function>
auto in_transaction(Db& db, Function&& function) -> std::invoke_result_t<Function&> {
  HF_CHECK(db.run("BEGIN IMMEDIATE"));
  auto done = function();
  if (done) {
    if (auto committed = db.run("COMMIT"); !committed) done = fail(std::move(committed).error());
  }
  if (db.in_transaction()) static_cast<void>(db.run("ROLLBACK"));
  return done;
}

Result<std::unique_ptr<Db>> open_to_mend(const std::string& path, const std::string& vfs, std::chrono::milliseconds patience) {
  HF_TRY(auto db, Db::open(path, Db::Mode::read_write, vfs));
  db->set_patience(patience);
  HF_CHECK(db->fill_up());
  HF_CHECK(db->script("PRAGMA synchronous=FULL; PRAGMA temp_store=MEMORY"));
  return db;
}

}  // namespace

Result<Mended> mend_trees(const std::string& path, const std::string& vfs, std::chrono::milliseconds patience, Look look) {
  Mended mended;
  {
    HF_TRY(const auto db, open_to_mend(path, vfs, patience));
    // What it sees is what the transaction begins with, and nobody else writes.
    HF_TRY(const auto old, Db::open(path, Db::Mode::read_only, vfs));
    HF_TRY(mended, in_transaction(*db, [&] { return Mending(*old, *db, look).run(); }));
  }
  const bool lists = std::ranges::any_of(
      mended.trees, [](const std::string& name) { return name == "sessions" || name == "roots" || name == "shelves"; });
  if (!lists) return mended;
  // With a connection that knows the new trees. What lists are counted by comes from the sessions.
  HF_TRY(const auto db, open_to_mend(path, vfs, patience));
  HF_CHECK(in_transaction(*db, [&] { return rebuild_shelves(*db); }));
  return mended;
}

}  // namespace holdfast::store
