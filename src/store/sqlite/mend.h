#pragma once

// Trees of the file whose pages are damaged, made anew from what can be read.
//
// A file of SQLite is one tree of pages for every table and every index. A damaged page stops whoever comes to it, and to some
// everybody comes: the root of an index, the last leaf of the entries. Here such a tree is given a new one in its place: an index
// one from its table, a table one from those of its rows that can be read. The pages of the old tree are left as they are and
// belong to nothing (the file does not shrink), so that this destroys nothing.
//
// What is damaged is found in two ways: a tree that cannot be read to its end, and SQLite's own check, which sees what nobody
// notices who only reads (free space that is none, keys out of order, rows that an index does not know) and a write stumbles
// over.
//
// Where an index still knows of a session or an entry that is lost, a row that fits no checksum takes its place: it is listed,
// shown as damaged, and its number is not given to another one.

#include "store/sqlite/db.h"

#include <string>
#include <vector>

namespace holdfast::store {

struct Mended {
  std::vector<std::string> trees;   // tables and indexes that were made anew, and the list of free pages
  std::vector<std::string> losses;  // what could not be read, in words
};

// Nobody waits while it looks; only when something is damaged, one transaction on a connection of its own follows. Other
// connections, of other processes too, read the new trees from then on. All is as it was when it fails.
Result<Mended> mend_trees(const std::string& path, const std::string& vfs, std::chrono::milliseconds patience);

}  // namespace holdfast::store
