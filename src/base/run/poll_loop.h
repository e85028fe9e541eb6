#pragma once

// An Executor over poll(2): what stdio needs, and nothing more. (The HTTP server brings its own.)
//
// The thread that calls run() is the loop's thread; before run(), it is the thread that made the loop.
// A task that throws is logged and forgotten. Timers run on the steady clock.

#include "base/run/executor.h"

#include <memory>

namespace holdfast {

class PollLoop final : public Executor {
 public:
  PollLoop();
  ~PollLoop() override;

  void post(Task task) override;
  TimerId after(std::chrono::milliseconds delay, Task task) override;
  void cancel(TimerId timer) override;

  // Loop thread only. on_readable runs whenever fd can be read (or has ended); one per fd. The caller
  // keeps the descriptor and unwatches it before closing it.
  void watch(int fd, std::move_only_function<void()> on_readable);
  void unwatch(int fd);

  void run();   // until stop(); the calling thread becomes the loop thread
  void stop();  // any thread, and async-signal-safe; posted tasks that are already queued still run
  // Runs what is ready now, and what that posts, without waiting; for tests.
  void run_ready();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace holdfast
