#include "store/sqlite/tree_check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

namespace holdfast::store {

namespace {

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

std::string where_of(const Tree& index) {
  const std::size_t where = index.sql.find(" WHERE ");
  return where == std::string::npos ? std::string() : index.sql.substr(where);
}

Result<std::vector<std::string>> names(Db& db, std::string_view sql, const std::string& of) {
  return db.all<std::string>(sql, {of}, [](const Columns& row) { return std::string(row.text(0)); });
}

Result<std::vector<std::string>> keys_of(Db& db, const std::string& table) {
  return names(db, "SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk", table);
}

Result<std::vector<std::string>> columns_of(Db& db, const Tree& index) {
  return names(db, "SELECT name FROM pragma_index_info(?) ORDER BY seqno", index.name);
}

// Something for which SQLite must read the whole of every value.
std::string reading(const std::vector<std::string>& columns) {
  std::string sql = "1";
  for (const std::string& column : columns) sql += fmt::format(" + ifnull(instr({}, x'00'), 0)", column);
  return sql;
}

// In the order of the table itself, or an index that has all columns would do.
Result<bool> is_table_readable(Db& db, const std::string& table) {
  HF_TRY(const auto columns, names(db, "SELECT name FROM pragma_table_info(?)", table));
  HF_TRY(const auto keys, keys_of(db, table));
  return can_be_read(db,
                     fmt::format("SELECT {} FROM {} NOT INDEXED ORDER BY {}", reading(columns), table, fmt::join(keys, ", ")));
}

// "Page 7: ...", "On tree page 7 cell 3: ...".
std::int64_t page_named_in(std::string_view line) {
  std::int64_t page = 0;
  const std::size_t at = line.find("age ");
  if (at != std::string_view::npos) std::from_chars(line.data() + at + 4, line.data() + line.size(), page);
  return page;
}

class TableCheck {
 public:
  TableCheck(Db& db, const std::string& table, const std::vector<Tree>& indexes) : db_(db), table_(table) {
    for (const Tree& index : indexes)
      if (index.table == table) indexes_.push_back(index);
  }

  Result<void> run(TreeDamage& found) {
    HF_TRY(whole_, is_table_readable(db_, table_));
    for (const Tree& index : indexes_) {
      if (!whole_) break;
      HF_TRY(const bool readable, is_index_readable(db_, index));
      if (!readable) damaged_.insert(index.name);
    }
    if (whole_ && damaged_.empty()) HF_CHECK(run_check());
    for (const Tree& index : indexes_) {
      if (!whole_ || !damaged_.contains(index.name)) continue;
      HF_TRY(const bool twice, has_twice(index));
      if (twice) whole_ = false;  // no index can be made of such a table
    }
    if (!whole_) {
      found.tables.insert(table_);
    } else {
      found.indexes.merge(damaged_);
    }
    return {};
  }

 private:
  Result<void> run_check() {
    HF_TRY(const auto numbered, db_.number("SELECT wr = 0 FROM pragma_table_list(?)", table_));
    auto rows = db_.query(fmt::format("PRAGMA integrity_check({})", table_));
    while (rows) {
      auto more = rows->next();
      if (!more) {
        rows = fail(std::move(more).error());
        break;
      }
      if (!*more) break;
      for (std::string_view rest = rows->text(0); !rest.empty();) {
        const std::string_view line = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(std::min(line.size() + 1, rest.size()));
        HF_CHECK(judge(line, numbered.value_or(0) != 0));
      }
    }
    if (!rows && rows.error().kind != ErrorKind::corrupt) return fail(std::move(rows).error());
    if (!rows) whole_ = false;
    // One page belongs to one tree. When several indexes disagree with the table, it is the table that has lost something.
    if (named_.size() > 1) whole_ = false;
    damaged_.merge(named_);
    return {};
  }

  Result<void> judge(std::string_view line, bool numbered) {
    if (line == "ok" || line.starts_with("*** in database") || line.ends_with("never used")) return {};
    if (line.contains(" value in ")) return {};  // the row is damaged, not the tree; its checksum says so
    for (const Tree& index : indexes_) {
      if (!line.ends_with(" index " + index.name)) continue;
      named_.insert(index.name);
      return {};
    }
    HF_TRY(const bool index, numbered ? is_of_index(page_named_in(line)) : false);
    if (!index) whole_ = false;
    if (index)
      for (const Tree& each : indexes_) damaged_.insert(each.name);
    return {};
  }

  // The first byte of a page tells. Which of the indexes it is does not matter: they are made anew from the table.
  Result<bool> is_of_index(std::int64_t page) {
    HF_TRY(const auto size, db_.number("PRAGMA page_size"));
    HF_TRY(const auto count, db_.number("PRAGMA page_count"));
    if (page < 2 || page > count.value_or(0)) return false;
    const auto first = db_.read_file((page - 1) * size.value_or(0), 1);
    return first && (first->front() == 2 || first->front() == 10);
  }

  // Rows of the table that break the rule of a unique index.
  Result<bool> has_twice(const Tree& index) {
    if (!index.sql.empty() && !index.sql.contains(" UNIQUE ")) return false;
    HF_TRY(const auto columns, columns_of(db_, index));
    HF_TRY(const auto twice, db_.number(fmt::format("SELECT 1 FROM {} NOT INDEXED{} GROUP BY {} HAVING count(*) > 1 LIMIT 1",
                                                    table_, where_of(index), fmt::join(columns, ", "))));
    return twice.has_value();
  }

  Db& db_;
  const std::string& table_;
  std::vector<Tree> indexes_;
  bool whole_ = true;
  std::set<std::string> damaged_, named_;
};

}  // namespace

Result<std::vector<Tree>> read_trees(Db& db, std::string_view type) {
  return db.all<Tree>(
      "SELECT name, tbl_name, sql FROM sqlite_schema WHERE type = ? AND rootpage > 0 AND name NOT IN ('sqlite_sequence') ORDER "
      "BY "
      "name",
      {type},
      [](const Columns& row) { return Tree{std::string(row.text(0)), std::string(row.text(1)), std::string(row.text(2))}; });
}

Result<bool> is_index_readable(Db& db, const Tree& index) {
  HF_TRY(auto columns, columns_of(db, index));
  HF_TRY(const auto keys, keys_of(db, index.table));
  columns.insert(columns.end(), keys.begin(), keys.end());
  return can_be_read(
      db, fmt::format("SELECT {} FROM {} INDEXED BY {}{}", reading(columns), index.table, index.name, where_of(index)));
}

Result<TreeDamage> find_damage(Db& db) {
  HF_CHECK(db.script("PRAGMA cell_size_check=ON"));
  TreeDamage found;
  HF_TRY(const auto tables, read_trees(db, "table"));
  HF_TRY(const auto indexes, read_trees(db, "index"));
  for (const Tree& table : tables) HF_CHECK(TableCheck(db, table.name, indexes).run(found));
  return found;
}

}  // namespace holdfast::store
