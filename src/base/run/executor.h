#pragma once

// Where work runs: the one I/O thread that owns protocol state (Executor), and the threads that
// may block (Pool). What a pool thread finds out it posts back to the executor.

#include <chrono>
#include <cstdint>
#include <functional>

namespace holdfast {

using Task = std::move_only_function<void()>;
using TimerId = std::uint64_t;  // never 0

class Executor {
 public:
  virtual ~Executor() = default;

  // Any thread. Tasks run on the executor's thread in the order they were posted, never inside post.
  virtual void post(Task task) = 0;

  // Executor thread only. The task runs once after the delay unless cancelled first.
  virtual TimerId after(std::chrono::milliseconds delay, Task task) = 0;
  virtual void cancel(TimerId timer) = 0;  // unknown or finished timers are ignored
};

}  // namespace holdfast
