#define SQLITE_ENABLE_SESSION 1
#define SQLITE_ENABLE_PREUPDATE_HOOK 1

#include "store/sqlite/changes.h"

#include <sqlite3.h>
#undef SQLITE_ENABLE_SESSION
#undef SQLITE_ENABLE_PREUPDATE_HOOK

#include <climits>

namespace holdfast::store {

namespace {

// Nothing is left out because of what stands there: the changes are newer than it.
int take_ours(void*, int conflict, sqlite3_changeset_iter*) {
  return conflict == SQLITE_CHANGESET_DATA || conflict == SQLITE_CHANGESET_CONFLICT ? SQLITE_CHANGESET_REPLACE
                                                                                    : SQLITE_CHANGESET_OMIT;
}

}  // namespace

Result<std::unique_ptr<ChangeRecorder>> ChangeRecorder::start(Db& db, std::initializer_list<const char*> tables) {
  sqlite3_session* session = nullptr;
  if (sqlite3session_create(db.handle(), "main", &session) != SQLITE_OK) {
    return fail(ErrorKind::unavailable, "changes of the catalogue cannot be recorded: out of memory");
  }
  std::unique_ptr<ChangeRecorder> made(new ChangeRecorder(db, session));
  for (const char* table : tables) {
    if (sqlite3session_attach(session, table) != SQLITE_OK) return fail(db.error("recording changes"));
  }
  return made;
}

ChangeRecorder::~ChangeRecorder() {
  sqlite3session_delete(session_);
}

Result<std::string> ChangeRecorder::changes() const {
  int size = 0;
  void* bytes = nullptr;
  if (sqlite3session_changeset(session_, &size, &bytes) != SQLITE_OK) return fail(db_.error("recording changes"));
  std::string changes(static_cast<const char*>(bytes), static_cast<std::size_t>(size));
  sqlite3_free(bytes);
  return changes;
}

Result<void> apply_changes(Db& db, std::string_view changes) {
  if (changes.size() > INT_MAX) return fail(ErrorKind::corrupt, "changes of the catalogue are too large to be real");
  // SQLite only reads it, whatever the type says.
  const int status = sqlite3changeset_apply(db.handle(), static_cast<int>(changes.size()), const_cast<char*>(changes.data()),
                                            nullptr, take_ours, nullptr);
  if (status != SQLITE_OK) return fail(ErrorKind::corrupt, "changes of the catalogue cannot be made again");
  return {};
}

}  // namespace holdfast::store
