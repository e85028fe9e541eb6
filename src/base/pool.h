#pragma once

// Threads for work that blocks: the store, compression, scans, waiting tools. A task that throws is
// logged and forgotten.

#include "base/executor.h"

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

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace holdfast
