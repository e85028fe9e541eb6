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
#include "store/postgres/context.h"
#include "store/postgres/eraser.h"
#include "store/postgres/locks.h"
#include "store/postgres/pool.h"
#include "store/postgres/rows/read_ahead.h"
#include "store/postgres/statistics.h"

#include <atomic>
#include <functional>

namespace holdfast::store::postgres {

inline constexpr std::string_view kOutcomeUnknown = "outcome_unknown";

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
    std::string scrub;    // the erasure to be finished (eraser.h)
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
