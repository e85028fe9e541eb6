#pragma once

// Threads for work that blocks: the store, compression, scans, waiting tools.

#include "base/executor.h"

#include <memory>

namespace holdfast {

class Pool {
 public:
  // Threads start on demand, up to max_threads, and leave after some idle seconds, so an idle
  // program has none. Further tasks wait in order.
  explicit Pool(std::size_t max_threads = 64);
  ~Pool();  // runs what was submitted, then joins

  void submit(Task task);  // any thread
  void close();            // refuses further tasks (they are dropped), runs the rest, joins

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace holdfast
