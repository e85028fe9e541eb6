#pragma once

// The tables of a SQLite store, and how an older file becomes a current one (docs/formats/store.md).
//
// The version is SQLite's user_version. Opening brings an older file forward, step by step, in one
// transaction. A newer file than this program knows is left alone and read as far as the known
// tables go; writing to it is refused.

#include "store/sqlite/db.h"

namespace holdfast::store {

inline constexpr int kSchemaVersion = 3;

// "hfst" in the file header: tells a holdfast store from any other SQLite file.
inline constexpr std::int64_t kApplicationId = 0x68667374;

// corrupt when the file is some other program's database.
Result<int> read_schema_version(Db& db);

// Creates or upgrades; nothing to do costs one read. Safe against other processes that do the same.
Result<void> migrate(Db& db);

// A value that every store has: corrupt when it cannot be read, with a word of how the rest is saved.
Result<std::string> read_meta(Db& db, std::string_view name);

// Gives a store that has lost its secret or its store_id a new one. What was lost with it, in words.
Result<std::vector<std::string>> replace_lost_identity(Db& db);

}  // namespace holdfast::store
