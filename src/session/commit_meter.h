#pragma once

// What a store's writes cost, for /metrics: made by whoever opens the store, filled by the store. Any thread.

#include "base/run/clock.h"
#include "base/run/histogram.h"
#include "base/run/log.h"

#include <atomic>
#include <chrono>
#include <string>

namespace holdfast::session {

class CommitMeter {
 public:
  // A commit that took place: how long it took, the waiting for the disk included, and how many writes shared it.
  void committed(std::chrono::steady_clock::duration time, std::size_t writes) {
    times_.observe(time);
    sizes_.observe(writes);
    if (failing_.load(std::memory_order_relaxed) && failing_.exchange(false))
      log(LogLevel::info, "store", "the store can be written again");
  }

  // The store could not write: the disk, the database, the patience. Not a write that its own work refused.
  // It is logged once, until a commit succeeds again.
  void failed(const std::string& message) {
    failures_.fetch_add(1, std::memory_order_relaxed);
    if (!failing_.exchange(true)) log(LogLevel::error, "store", "the store cannot be written: " + message);
    last_failure_.store(SystemClock().now(), std::memory_order_relaxed);
  }

  const Histogram& times() const { return times_; }  // microseconds
  const Histogram& sizes() const { return sizes_; }
  std::uint64_t failures() const { return failures_.load(std::memory_order_relaxed); }
  bool failing() const { return failing_.load(std::memory_order_relaxed); }  // nothing was written since the last failure
  Millis last_failure() const { return last_failure_.load(std::memory_order_relaxed); }  // 0: there was none

 private:
  Histogram times_{kDurationBounds};
  Histogram sizes_{kSizeBounds};
  std::atomic<std::uint64_t> failures_ = 0;
  std::atomic<bool> failing_ = false;
  std::atomic<Millis> last_failure_ = 0;
};

}  // namespace holdfast::session
