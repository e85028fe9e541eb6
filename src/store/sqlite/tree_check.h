#pragma once

// Which trees of the file (mend.h) are damaged.

#include "store/sqlite/db.h"

#include <set>
#include <string>
#include <vector>

namespace holdfast::store {

struct Tree {
  std::string name;
  std::string table;
  std::string sql;  // empty: an index that belongs to a rule of its table
};

// Of all tables, or all indexes, of this program.
Result<std::vector<Tree>> read_trees(Db& db, std::string_view type);

// Whether every row of an index can be read.
Result<bool> is_index_readable(Db& db, const Tree& index);

struct TreeDamage {
  std::set<std::string> tables;   // with all their indexes
  std::set<std::string> indexes;  // of other tables
  bool none() const { return tables.empty() && indexes.empty(); }
};

// Looks at every page. `db` reads, and may not be used for writing afterwards: it has met damage.
Result<TreeDamage> find_damage(Db& db);

}  // namespace holdfast::store
