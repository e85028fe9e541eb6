#pragma once

// The retention sweep of a server process (threads-and-research §5, rule 1): at the start, before tool calls, and by a timer for
// as long as it runs. Each look is one cheap read at most unless a sweep is due; of many processes one sweeps.
//
// Made and started on the executor's thread; the pool is closed and the executor has stopped before it is destroyed.

#include "base/run/executor.h"
#include "base/run/pool.h"
#include "session/life/sweep.h"

#include <atomic>
#include <chrono>
#include <functional>

namespace holdfast::cli {

class RetentionSweep {
 public:
  // A server that sleeps through the hour at which a sweep is due does it a little later.
  static constexpr std::chrono::minutes kLook{10};

  // How long a tool call waits for a sweep; what is left then waits for the next call or the timer. A purge takes some
  // hundredths of a second, and hundreds may be due at once.
  static constexpr std::chrono::milliseconds kPatience{200};

  // on_change: notices were opened or sessions changed; any thread.
  RetentionSweep(session::Store& store, const session::RetentionPolicy& policy, const Clock& clock, Executor& executor,
                 Pool& pool, std::function<void()> on_change)
      : store_(store), policy_(policy), clock_(clock), executor_(executor), pool_(pool), on_change_(std::move(on_change)) {}

  void start();
  // Pool threads. leave_out: the sessions that the call is about, as SweepOptions has them; may be empty.
  void look(std::vector<std::string> leave_out);

 private:
  void sweep(std::vector<std::string> leave_out, std::function<bool()> cancelled);

  session::Store& store_;
  const session::RetentionPolicy& policy_;
  const Clock& clock_;
  Executor& executor_;
  Pool& pool_;
  std::function<void()> on_change_;
  std::atomic<Millis> last_ = 0;  // the last sweep, of whichever process, as far as is known here
};

}  // namespace holdfast::cli
