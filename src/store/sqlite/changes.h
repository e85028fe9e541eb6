#pragma once

// What a transaction changed, as bytes that make the same change in a copy of the database (SQLite's sessions).
//
// Every table that is recorded has a primary key. The recorder belongs to the thread of its connection and goes before it.

#include "store/sqlite/db.h"

#include <initializer_list>

struct sqlite3_session;

namespace holdfast::store {

class ChangeRecorder {
 public:
  // From now on. Errors: unavailable (no memory).
  static Result<std::unique_ptr<ChangeRecorder>> start(Db& db, std::initializer_list<const char*> tables);
  ~ChangeRecorder();
  ChangeRecorder(const ChangeRecorder&) = delete;
  ChangeRecorder& operator=(const ChangeRecorder&) = delete;

  // What changed so far; empty: nothing.
  Result<std::string> changes() const;

 private:
  ChangeRecorder(Db& db, sqlite3_session* session) : db_(db), session_(session) {}
  Db& db_;
  sqlite3_session* session_;
};

// Makes them again. A row that is not as it was before them is taken as they have it. Errors: corrupt.
Result<void> apply_changes(Db& db, std::string_view changes);

}  // namespace holdfast::store
