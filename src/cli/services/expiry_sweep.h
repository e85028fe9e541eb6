#pragma once

// Removes what has expired (login codes, browser logins, transport sessions, events, tasks) from the store now
// and then, for as long as a server runs. Made and started on the executor's thread; the pool is closed and
// the executor has stopped before it is destroyed.

#include "base/run/executor.h"
#include "base/run/pool.h"
#include "session/store.h"

#include <chrono>

namespace holdfast::cli {

class ExpirySweep {
 public:
  // Events of streams live this long; sweeping more often finds nothing.
  static constexpr std::chrono::minutes kEvery{10};

  ExpirySweep(session::Store& store, Executor& executor, Pool& pool) : store_(store), executor_(executor), pool_(pool) {}

  void start();

 private:
  session::Store& store_;
  Executor& executor_;
  Pool& pool_;
};

}  // namespace holdfast::cli
