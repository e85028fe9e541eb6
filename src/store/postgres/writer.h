#pragma once

// Runs writes: each in a transaction of its own, on a connection of the pool, beside those of other threads and nodes.
//
// Work is run again when others were in the way (locks.h, deadlocks), and when the connection broke before the commit was sent.
// When it breaks while the commit is under way, nobody has said whether it took place. Every write therefore leaves a random id
// in `commits`. Afterwards the same id is put there from a new connection: when it is there already, the write took place; when
// not, it is there now, and the lost transaction, should it still be on its way, runs into it and fails. So a write is never made
// twice and never taken for lost while it is not. Only when no connection can be made within the store's patience is the outcome
// unknown; the error then has the word kOutcomeUnknown.
//
// Commits that have events are made one after the other (listener.h). If each waited for the disk in line, the store would be as
// slow as the disk's syncs, so they commit without waiting, give the line free, and then wait for the disk together. Until then
// others can see such a write; whoever writes after it is made durable with it, and a write that only read waits as well.

#include "session/store.h"
#include "store/postgres/locks.h"
#include "store/postgres/pool.h"
#include "store/postgres/rows/write_tables.h"

#include <atomic>
#include <functional>
#include <mutex>
#include <thread>

namespace holdfast::store::postgres {

inline constexpr std::string_view kOutcomeUnknown = "outcome_unknown";

// Erased text leaves the tables' files (design 8.9).
//
// PostgreSQL keeps old versions of rows until they are vacuumed. A write that erases marks that in `meta` in the same
// transaction; after the commit the tables are vacuumed, and the mark goes. A mark that is found when a store is opened was left
// by a node that died in between. The write-ahead log and backups keep bytes until they are recycled; docs/postgres.md says so.
class Eraser {
 public:
  explicit Eraser(Pool& pool) : pool_(pool) {}

  // Puts the mark in line; returns its name.
  static std::string queue_mark(Connection& connection, std::string_view id);

  // After the commit. Returns when the tables were vacuumed by somebody who began later than this was called; several who erase
  // at once share it. What fails is said in the log and done again when a store is opened.
  void erase(const std::string& mark);

  // What a node that died has left.
  void finish_old();

 private:
  Result<void> vacuum();

  Pool& pool_;
  std::atomic<std::uint64_t> asked_ = 0;
  std::mutex mutex_;
  std::uint64_t done_ = 0;
};

// Keeps the server's statistics in step with the size of the tables.
//
// The server looks after them by itself: a minute later, and not at all when it crashes more often than that, because it forgets
// how much was written. A plan for the table that was there an hour ago then compares every text of the one that is there now. So
// tables that have doubled since they were last looked at are analysed: as often as a store can double, and beside the calls.
class Statistics {
 public:
  explicit Statistics(Pool& pool) : pool_(pool) {}
  ~Statistics();  // waits for what it has begun: seconds at most
  Statistics(const Statistics&) = delete;
  Statistics& operator=(const Statistics&) = delete;

  // Begins when it is time, and does not wait. Any thread; on the caller's connection it only looks. When another node does the
  // same at this moment it is left to that one.
  void check(Connection& connection);

 private:
  void analyse(const std::vector<std::string>& tables);

  Pool& pool_;
  std::mutex mutex_;
  bool running_ = false;  // guarded by mutex_
  std::jthread worker_;   // guarded by mutex_ while it is not running
};

class Writer {
 public:
  using Work = std::function<Result<void>(session::Transaction&)>;

  Writer(Pool& pool, const Context& context, Eraser& eraser, Statistics& statistics)
      : pool_(pool), context_(context), eraser_(eraser), statistics_(statistics) {}

  // Any thread; waits. See session::Store::write for what `work` may do.
  Result<void> run(const Work& work);

 private:
  struct Attempt {
    Result<void> outcome;
    bool again = false;   // run the work once more
    bool pause = false;   // but not at once
    std::string unclear;  // the id of a commit of which nobody knows
    std::string scrub;    // the erasure to be finished
  };
  Result<void> run_until_settled(const Work& work);
  Attempt attempt(Connection& connection, const Work& work, LockPlan& plan);
  Attempt commit(Connection& connection, const std::string& id, bool wait_for_disk, std::string scrub);
  // Whether the write with this id took place; afterwards it cannot any more.
  Result<bool> took_place(const std::string& id);
  void tidy_up(Connection& connection);

  Pool& pool_;
  const Context& context_;
  Eraser& eraser_;
  Statistics& statistics_;
  ReadAhead ahead_;
  std::atomic<std::uint64_t> commits_ = 0;
};

}  // namespace holdfast::store::postgres
