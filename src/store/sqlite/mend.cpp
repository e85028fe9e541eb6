// The story of mending. In comes a file of which a statement has met a damaged page; out comes the same file in which every tree
// can be read again, and a list in words of what could not be saved.
//
// First the list of free pages, because every new tree takes its pages from there, and a wrong list gives away a page in use.
// Then all trees are read to their ends, outside of any transaction, so that nobody waits for the search. Only when something is
// damaged one transaction follows: damaged tables are copied row by row into fresh ones (tables that others are filled from
// first), rows that only an index still knows are put there as lost ones, and then damaged indexes are made from their tables.
// Last, the names in the schema are turned to the new roots, which all connections see with the commit.
//
// What would go wrong otherwise: a connection that has met damage cannot change the schema any more, so one looks and another
// writes; rebuilding in place would destroy what a later attempt could still read, so old pages are left as they are; and without
// the placeholders a lost entry's number would be given away again.

#include "store/sqlite/mend.h"

#include "store/sqlite/lists/buckets.h"
#include "store/sqlite/tree_check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <sys/stat.h>

#include <algorithm>
#include <limits>
#include <set>

namespace holdfast::store {

namespace {

constexpr std::string_view kNew = "mended_";
constexpr std::string_view kFreePages = "the list of free pages";

// The first occurrence behind a blank: names stand so in what this program has written into the schema.
std::string renamed(std::string sql, const std::string& name) {
  if (const std::size_t at = sql.find(" " + name); at != std::string::npos) sql.insert(at + 1, kNew);
  return sql;
}

std::string named_new(std::string_view name) {
  return fmt::format("{}{}", kNew, name);
}

// A leaf of 4 KB has some hundred rows; behind so many numbers the steps become longer.
constexpr std::int64_t kNextRows = 2000;

// Every row of the table `from` that can be read into `to`, which has the same columns, in another connection: a transaction that
// has come to a damaged page may not go on. What could not be read is added to `losses`, in words.
class RowCopy {
 public:
  RowCopy(Db& source, const std::string& from, Db& target, const std::string& to, std::vector<std::string>& losses)
      : source_(source), from_(from), target_(target), to_(to), losses_(losses) {}

  Result<void> run() {
    HF_CHECK(source_.each("SELECT name, pk FROM pragma_table_info(?) ORDER BY cid", {from_}, [&](const Columns& row) {
      columns_.emplace_back(row.text(0));
      const auto place = static_cast<std::size_t>(row.integer(1));
      if (place > 0) keys_.resize(std::max(keys_.size(), place));
      if (place > 0) keys_[place - 1] = columns_.back();
      return true;
    }));
    HF_TRY(const auto numbered, source_.number("SELECT wr = 0 FROM pragma_table_list(?)", from_));
    HF_CHECK(numbered.value_or(0) != 0 && keys_.size() == 1 ? copy_numbered() : copy_from_both_ends());
    if (refused_ != 0) losses_.push_back(fmt::format("{}: {} rows have values of the wrong kind", from_, refused_));
    return {};
  }

 private:
  enum class End { all, damage };

  std::string select(std::string_view rest) const {
    return fmt::format("SELECT {} FROM {} NOT INDEXED {}", fmt::join(columns_, ", "), from_, rest);
  }

  // Values go over as they are.
  Result<void> insert(const Rows& row) {
    std::string marks;
    for (std::size_t i = 0; i < columns_.size(); ++i) marks += i == 0 ? "?" : ", ?";
    HF_TRY(Rows into,
           target_.prepare(fmt::format("INSERT OR IGNORE INTO {}({}) VALUES({})", to_, fmt::join(columns_, ", "), marks)));
    for (int i = 0; i < static_cast<int>(columns_.size()); ++i) into.bind_as(i + 1, row, i);
    const auto more = into.next();
    if (more || more.error().kind != ErrorKind::conflict) return more ? Result<void>() : fail(more.error());
    ++refused_;  // a value is of another kind than its column
    return {};
  }

  // `on_row` sees what has arrived.
  template <class OnRow>
  Result<End> copy(Result<Rows> rows, const OnRow& on_row) {
    while (rows) {
      const auto more = rows->next();
      if (!more) {
        rows = fail(more.error());
        break;
      }
      if (!*more) return End::all;
      HF_CHECK(insert(*rows));
      on_row(*rows);
    }
    if (rows.error().kind != ErrorKind::corrupt) return fail(std::move(rows).error());
    return End::damage;
  }

  // Numbers lead into the middle of a tree: what is behind a damaged page is found again.
  Result<void> copy_numbered() {
    using Limits = std::numeric_limits<std::int64_t>;
    std::size_t number_column = 0;
    while (columns_[number_column] != keys_[0]) ++number_column;
    const std::string sql = select(fmt::format("WHERE {0} >= ? ORDER BY {0}", keys_[0]));
    std::int64_t from = Limits::min();
    while (true) {
      HF_TRY(const End end,
             copy(source_.query(sql, from), [&](const Rows& row) { from = row.integer(static_cast<int>(number_column)) + 1; }));
      if (end == End::all) return {};
      HF_TRY(const auto next, next_readable(from));
      if (!next) {
        losses_.push_back(from == Limits::min() ? fmt::format("{}: nothing can be read", from_)
                                                : fmt::format("{}: nothing can be read from number {} on", from_, from));
        return {};
      }
      losses_.push_back(fmt::format("{}: numbers {} to {} cannot be read", from_, from, *next - 1));
      from = *next;
    }
  }

  // Whether what has this number, or the next higher one there is, can be read.
  Result<bool> readable(std::int64_t number) {
    auto rows = source_.query(select(fmt::format("WHERE {0} >= ? ORDER BY {0} LIMIT 1", keys_[0])), number);
    const auto found = rows ? rows->next() : Result<bool>(fail(rows.error()));
    if (found) return true;
    if (found.error().kind == ErrorKind::corrupt) return false;
    return fail(found.error());
  }

  Result<std::optional<std::int64_t>> next_readable(std::int64_t from) {
    const std::int64_t first = std::max<std::int64_t>(from, 0);  // numbers are not negative
    for (std::int64_t step = from < 0 ? 0 : 1; step <= kNextRows; ++step) {
      HF_TRY(const bool good, readable(first + step));
      if (good) return first + step;
    }
    for (std::int64_t step = kNextRows; step < std::numeric_limits<std::int64_t>::max() / 4; step *= 2) {
      HF_TRY(const bool good, readable(first + 2 * step));
      if (!good) continue;
      std::int64_t bad = first + step, found = first + 2 * step;
      while (found - bad > 1) {
        const std::int64_t middle = bad + (found - bad) / 2;
        HF_TRY(const bool half, readable(middle));
        (half ? found : bad) = middle;
      }
      return found;
    }
    return std::nullopt;
  }

  Result<void> copy_from_both_ends() {
    const auto ignore = [](const Rows&) {};
    HF_TRY(const End end, copy(source_.query(select(fmt::format("ORDER BY {}", fmt::join(keys_, ", ")))), ignore));
    if (end == End::all) return {};
    HF_CHECK(copy(source_.query(select(fmt::format("ORDER BY {} DESC", fmt::join(keys_, " DESC, ")))), ignore));
    losses_.push_back(fmt::format("{}: some rows cannot be read", from_));
    return {};
  }

  Db& source_;
  const std::string from_;
  Db& target_;
  const std::string to_;
  std::vector<std::string>& losses_;
  std::vector<std::string> columns_, keys_;
  int refused_ = 0;
};

class Mending {
 public:
  // A transaction that has come to a damaged page can change no schema any more. So `old` looks, and `db` only goes where all is
  // sound.
  Mending(Db& old, Db& db, const TreeDamage& damage) : old_(old), db_(db), damage_(damage) {}

  Result<Mended> run() {
    HF_TRY(const auto tables, read_trees(old_, "table"));
    HF_TRY(const auto indexes, read_trees(old_, "index"));
    // Those first from which others are filled.
    std::vector<Tree> damaged;
    for (const Tree& table : tables) {
      const bool fills_others = table.name == "entries" || table.name == "shelves";
      if (damage_.tables.contains(table.name)) damaged.insert(fills_others ? damaged.begin() : damaged.end(), table);
    }
    for (const Tree& table : damaged) HF_CHECK(replace_table(table, indexes));
    for (const Tree& index : indexes)
      if (damage_.indexes.contains(index.name)) HF_CHECK(replace_index(index));
    if (!mended_.trees.empty()) HF_CHECK(take_new_trees());
    return std::move(mended_);
  }

 private:
  bool is_new(const std::string& name) const { return std::ranges::find(mended_.trees, name) != mended_.trees.end(); }
  std::string now_called(const std::string& table) const { return is_new(table) ? named_new(table) : table; }

  Result<void> replace_index(const Tree& index) {
    std::string sql = renamed(index.sql, index.name);
    if (sql.empty()) {
      HF_TRY(const auto columns, db_.all<std::string>("SELECT name FROM pragma_index_info(?) ORDER BY seqno", {index.name},
                                                      [](const Columns& row) { return std::string(row.text(0)); }));
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
    // Before the rows: of two that break a rule together, the second one does not come over.
    for (const Tree& index : indexes)
      if (index.table == table.name && is_unique(index)) HF_CHECK(make_index_of(index));
    HF_CHECK(RowCopy(old_, table.name, db_, fresh, mended_.losses).run());
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
      if (!is_unique(index)) HF_CHECK(make_index_of(index));
    }
    return {};
  }

  static bool is_unique(const Tree& index) { return index.sql.contains(" UNIQUE "); }

  // Of the new table.
  Result<void> make_index_of(const Tree& index) {
    std::string sql = renamed(index.sql, index.name);
    if (const std::size_t on = sql.find(" ON "); on != std::string::npos) sql.insert(on + 4, kNew);
    HF_CHECK(db_.script(sql));
    in_place_of_.emplace_back(index.name, named_new(index.name));
    return {};
  }

  // What other trees still know of rows that are lost.
  Result<void> fill_in(const std::string& table, const std::string& fresh) {
    if (table == "entries") {
      HF_CHECK(take_from_index("sqlite_autoindex_entries_1", table, fresh, "sequence", {"session", "seq"}));
      return add_known(
          "entries", {{"sqlite_autoindex_entries_1", "entries", {}}},
          fmt::format("INSERT OR IGNORE INTO {} SELECT sequence, session, seq, 'lost', '', 0, 0, '', '', NULL, x'', x'', "
                      "x'00', NULL, x'', x'' FROM entries INDEXED BY sqlite_autoindex_entries_1 WHERE sequence NOT IN "
                      "(SELECT sequence FROM {})",
                      fresh, fresh));
    }
    if (table == "sessions") {
      HF_CHECK(take_from_index("sqlite_autoindex_sessions_1", table, fresh, "key", {"id"}));
      HF_TRY(const bool has_roots, is_index_readable(old_, {"roots_session", "roots", {}}));
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

  // Where the damaged table says something else than this index, the index is right. Checksums and hashes see it when it is not.
  Result<void> take_from_index(const std::string& index, const std::string& table, const std::string& fresh, std::string_view key,
                               const std::vector<std::string>& columns) {
    HF_TRY(const bool readable, is_index_readable(old_, {index, table, {}}));
    if (!readable) return {};
    const std::string names = fmt::format("{}", fmt::join(columns, ", "));
    const std::string known = fmt::format("known.{}", fmt::join(columns, ", known."));
    return db_.script(
        fmt::format("UPDATE OR IGNORE {0} SET ({1}) = ({2}) FROM (SELECT {3} AS row, {1} FROM {4} INDEXED BY {5}) AS "
                    "known WHERE known.row = {0}.{3} AND ({2}) <> ({0}.{6})",
                    fresh, names, known, key, table, index, fmt::join(columns, fmt::format(", {}.", fresh))));
  }

  // With a statement that reads these trees of before.
  Result<void> add_known(std::string_view what, const std::vector<Tree>& read, const std::string& sql) {
    for (const Tree& tree : read) {
      HF_TRY(const bool sound, is_index_readable(old_, tree));
      if (sound) continue;
      mended_.losses.push_back(fmt::format("{}: which ones are lost is not known, {} is damaged, too", what, tree.name));
      return {};
    }
    HF_CHECK(db_.script(sql));
    HF_TRY(const auto number, db_.number("SELECT changes()"));
    if (number.value_or(0) != 0) mended_.losses.push_back(fmt::format("{} {} are lost", *number, what));
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
  const TreeDamage& damage_;
  Mended mended_;
  std::vector<std::pair<std::string, std::string>> in_place_of_;
};

Result<std::unique_ptr<Db>> open_to_mend(const std::string& path, const std::string& vfs, std::chrono::milliseconds patience) {
  HF_TRY(auto db, Db::open(path, Db::Mode::read_write, vfs));
  db->set_patience(patience);
  HF_CHECK(db->fill_up());
  HF_CHECK(db->script("PRAGMA synchronous=FULL; PRAGMA temp_store=MEMORY"));
  return db;
}

// Of the file format of SQLite (https://www.sqlite.org/fileformat2.html#the_freelist): the first page of the list and the count
// of all its pages stand in the header; a page of the list names the next one and some free pages.
constexpr std::int64_t kListInHeader = 32;
constexpr int kMostAttempts = 5;

// The list of the pages of the file that hold nothing, from which every growing tree takes its pages.
//
// A damaged list stops every write that needs a page, or gives away a page that somebody uses. It holds nothing that is worth
// keeping: it is forgotten, and its pages belong to nothing from then on.
class FreePages {
 public:
  explicit FreePages(Db& db) : db_(db) {}

  Result<bool> are_sound() {
    HF_TRY(page_bytes_, number("PRAGMA page_size"));
    HF_TRY(pages_, number("PRAGMA page_count"));
    HF_TRY(const std::string header, db_.read_file(kListInHeader, 8));
    const std::int64_t count = number_at(header, 4);
    std::int64_t next = number_at(header, 0);
    while (next != 0) {
      if (!take(next)) return false;
      HF_TRY(const std::string page, db_.read_file((next - 1) * page_bytes_, static_cast<std::size_t>(page_bytes_)));
      const std::int64_t named = number_at(page, 4);
      if (named > page_bytes_ / 4 - 2) return false;
      for (std::int64_t i = 0; i < named; ++i) {
        const std::int64_t free = number_at(page, static_cast<std::size_t>(8 + 4 * i));
        if (!take(free)) return false;
        HF_TRY(const bool used, looks_used(free));
        if (used) return false;
      }
      next = number_at(page, 0);
    }
    return count == static_cast<std::int64_t>(seen_.size());
  }

 private:
  Result<std::int64_t> number(std::string_view pragma) {
    HF_TRY(const auto value, db_.number(pragma));
    return value.value_or(0);
  }
  static std::int64_t number_at(std::string_view bytes, std::size_t at) {
    std::int64_t value = 0;
    for (std::size_t i = at; i < at + 4; ++i) value = value << 8 | static_cast<std::uint8_t>(bytes[i]);
    return value;
  }
  bool take(std::int64_t page) { return page > 1 && page <= pages_ && seen_.insert(page).second; }

  // Pages are filled with zeros when they become free (secure_delete); those of trees begin with their kind.
  Result<bool> looks_used(std::int64_t page) {
    HF_TRY(const std::string kind, db_.read_file((page - 1) * page_bytes_, 1));
    return kind[0] == 2 || kind[0] == 5 || kind[0] == 10 || kind[0] == 13;
  }

  Db& db_;
  std::int64_t page_bytes_ = 0, pages_ = 0;
  std::set<std::int64_t> seen_;
};

bool is_empty(const std::string& file) {
  struct stat status{};
  return ::stat(file.c_str(), &status) != 0 || status.st_size == 0;
}

enum class Outcome { sound, forgotten, busy };

// Beside SQLite's cache: while the log is empty and nobody else writes, the file is all there is, and nobody who reads looks at
// this.
Result<Outcome> forget_in_file(Db& db) {
  HF_TRY(const auto busy, db.number("PRAGMA wal_checkpoint(TRUNCATE)"));
  if (busy.value_or(1) != 0) return Outcome::busy;
  HF_CHECK(db.run("BEGIN IMMEDIATE"));
  if (!is_empty(db.path() + "-wal")) return Outcome::busy;
  HF_TRY(const bool sound, FreePages(db).are_sound());
  if (sound) return Outcome::sound;
  HF_CHECK(db.write_file(kListInHeader, std::string(8, '\0')));
  HF_CHECK(db.sync_file());
  return Outcome::forgotten;
}

// A commit with the new header, so that other connections forget theirs. False when one of them has been quicker with the former.
Result<bool> announce(Db& db) {
  HF_CHECK(db.run("BEGIN IMMEDIATE"));
  HF_TRY(const auto left, db.number("PRAGMA freelist_count"));
  if (left.value_or(0) != 0) return false;
  HF_TRY(const auto version, db.number("PRAGMA user_version"));
  HF_CHECK(db.script(fmt::format("PRAGMA user_version={}", version.value_or(0))));
  HF_CHECK(db.run("COMMIT"));
  return true;
}

// True when the list was damaged and has been forgotten. False also when others read so long that it could not be looked at.
Result<bool> forget_damaged_free_pages(const std::string& path, const std::string& vfs, std::chrono::milliseconds patience) {
  const auto open = [&]() -> Result<std::unique_ptr<Db>> {
    HF_TRY(auto db, Db::open(path, Db::Mode::read_write, vfs));
    db->set_patience(patience);
    return db;
  };
  for (int i = 0; i < kMostAttempts; ++i) {
    Outcome outcome = Outcome::busy;
    {
      HF_TRY(const auto db, open());
      HF_TRY(outcome, forget_in_file(*db));
    }
    if (outcome == Outcome::sound) return false;
    if (outcome == Outcome::busy) continue;
    HF_TRY(const auto db, open());  // one that has not read the former header
    HF_TRY(const bool announced, announce(*db));
    if (announced) return true;
  }
  return false;
}

}  // namespace

Result<Mended> mend_trees(const std::string& path, const std::string& vfs, std::chrono::milliseconds patience) {
  Mended mended;
  {
    HF_TRY(const auto db, open_to_mend(path, vfs, patience));
    HF_TRY(const bool forgotten, forget_damaged_free_pages(path, vfs, patience));
    static_cast<void>(db->number("PRAGMA wal_checkpoint(PASSIVE)"));  // the kinds of pages are read from the file itself
    HF_TRY(const auto old, Db::open(path, Db::Mode::read_only, vfs));
    HF_TRY(const auto version, old->number("PRAGMA data_version"));
    HF_TRY(TreeDamage damage, find_damage(*old));
    if (damage.none()) {
      if (forgotten) mended.trees.emplace_back(kFreePages);
      return mended;
    }
    // What `old` sees is what the transaction begins with, and nobody else writes.
    HF_TRY(mended, db->write([&]() -> Result<Mended> {
      HF_TRY(const auto now, old->number("PRAGMA data_version"));
      if (now != version) {
        HF_TRY(damage, find_damage(*old));
      }
      return Mending(*old, *db, damage).run();
    }));
    if (forgotten) mended.trees.emplace_back(kFreePages);
  }
  const bool lists = std::ranges::any_of(
      mended.trees, [](const std::string& name) { return name == "sessions" || name == "roots" || name == "shelves"; });
  if (!lists) return mended;
  // With a connection that knows the new trees. What lists are counted by comes from the sessions.
  HF_TRY(const auto db, open_to_mend(path, vfs, patience));
  HF_CHECK(db->write([&] { return rebuild_buckets(*db); }));
  return mended;
}

}  // namespace holdfast::store
