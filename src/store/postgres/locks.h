#pragma once

// What keeps transactions of many nodes apart: two-phase locking by name, with PostgreSQL's advisory locks.
//
// A write may read anything and decide by it, so its reads must hold until it commits, as they do in SQLite where only one
// writes at a time. Row locks cannot do that (a row that is not there cannot be locked), and SERIALIZABLE does it by pages of
// indexes: two appends to different sessions would often be taken for a conflict. So every transaction locks the names of what it
// reads or writes: a session, a value, a lease, a family member. Lists lock the roots they ask for, or everything.
//
// Nobody waits while others may wait for him, so there is no deadlock: the names a transaction knows when it wants the first are
// waited for, in order; a further one is only tried, and when it is taken the transaction starts again with all the names it
// knows. One that wants very many, or has started again too often, locks the store.

#include "store/postgres/connection.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace holdfast::store::postgres {

enum class LockMode { shared, exclusive };

// The names a transaction needs, kept over its attempts.
struct LockPlan {
  std::map<std::int64_t, LockMode> wanted;
  bool everything = false;
  int attempts = 0;
};

class Locks {
 public:
  // `store` makes the locks of stores in one database different ones.
  Locks(Connection& connection, std::string_view store, LockPlan& plan) : connection_(connection), store_(store), plan_(plan) {}

  // Puts BEGIN in line.
  void begin();
  // Will be locked together with what is wanted first; nothing after that.
  void expect(std::string_view kind, std::string_view name, LockMode mode);
  // Puts the lock in line, in front of what is to be read under it.
  void want(std::string_view kind, std::string_view name, LockMode mode);
  // Nothing is wanted, only that nobody has locked the store.
  void want_nothing() { start(); }
  // An error to unwind with, unless everything is locked.
  Result<void> want_everything();
  // The one that orders commits, for a transaction that has events: it tells `channel` of them when it commits, and does so
  // without waiting for the disk, so that nobody waits for it under this lock (writer.h). Put in line last.
  void queue_sequence_lock(std::string_view channel);

  // Whether the work is to be run again, whatever it answered.
  bool restart() const { return restart_ || connection_.failure() == Failure::busy; }

 private:
  void start();
  std::int64_t key_of(std::string_view kind, std::string_view name) const;

  Connection& connection_;
  std::string_view store_;
  LockPlan& plan_;
  std::map<std::int64_t, LockMode> held_;
  bool started_ = false;
  bool restart_ = false;
  bool sequence_held_ = false;
};

}  // namespace holdfast::store::postgres
