#pragma once

// Trees of the file whose pages are damaged, made anew from what can be read.
//
// A file of SQLite is one tree of pages for every table and every index. A damaged page stops whoever comes to it, and to some
// everybody comes: the root of an index, the last leaf of the entries. Here such a tree is given a new one in its place: an index
// one from its table, a table one from those of its rows that can be read. The pages of the old tree are left as they are and
// belong to nothing (the file does not shrink), so that this destroys nothing.
//
// Where an index still knows of a session or an entry that is lost, a row that fits no checksum takes its place: it is listed,
// shown as damaged, and its number is not given to another one.

#include "store/sqlite/db.h"

#include <string>
#include <vector>

namespace holdfast::store {

struct Mended {
  std::vector<std::string> trees;   // tables and indexes that were made anew
  std::vector<std::string> losses;  // what could not be read, in words
};

// What is looked at: the trees alone, or every byte of every row, too. The former is what stops others than the session it is in.
enum class Look { trees, texts };

// One transaction on a connection of its own; other connections, of other processes too, read the new trees from then on. All
// is as it was when it fails.
Result<Mended> mend_trees(const std::string& path, const std::string& vfs, std::chrono::milliseconds patience, Look look);

}  // namespace holdfast::store
