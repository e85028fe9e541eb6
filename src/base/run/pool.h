#pragma once

// Threads for work that blocks: the store, compression, scans, waiting tools. A task that throws is
// logged and forgotten.
//
// When the system gives no thread and none is running, the task runs on the caller's: late answers are better than none.

#include "base/run/executor.h"
#include "base/run/histogram.h"

#include <memory>

namespace holdfast {

class Pool {
 public:
  // Longer than the pause between two calls of an agent's turn.
  static constexpr std::chrono::milliseconds kIdleTime{2000};

  // Threads start on demand, up to max_threads, and leave after some idle seconds, so an idle
  // program has none. Further tasks wait in order.
  explicit Pool(std::size_t max_threads = 64, std::chrono::milliseconds idle_time = kIdleTime);
  ~Pool();  // close()

  void submit(Task task);  // any thread
  // Refuses further tasks (they are dropped), runs the rest, joins. Not from a task of this pool.
  void close();

  struct Counts {
    std::size_t threads = 0, idle = 0, queued = 0;
  };
  Counts counts() const;           // any thread
  const Histogram& waits() const;  // microseconds that tasks waited for a thread

 private:
  struct State;
  std::shared_ptr<State> state_;
};

// Does it on the pool each time so much has passed, for as long as the executor runs. Called on the executor's thread, or before
// it runs; the pool is closed and the executor has stopped before anything that `work` uses is destroyed.
inline void repeat(Executor& executor, Pool& pool, std::chrono::milliseconds every, std::function<void()> work) {
  executor.after(every, [&executor, &pool, every, work = std::move(work)] {
    pool.submit(work);
    repeat(executor, pool, every, work);
  });
}

}  // namespace holdfast
