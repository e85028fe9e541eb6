#pragma once

// SIGTERM, SIGINT and SIGHUP as events. While one of these exists, the signals no longer end the process but call a
// function, on a thread of its own: the first asks to stop, a second does not ask any more.
//
// Made before any other thread, so that all of them inherit the blocked signals. What was acknowledged is
// durable, so leaving at once loses nothing of it.

#include "base/files/fd.h"
#include "base/result.h"

#include <functional>
#include <memory>
#include <thread>

namespace holdfast::cli {

class StopSignals {
 public:
  static Result<std::unique_ptr<StopSignals>> watch();
  ~StopSignals();

  // Called once, at the first signal, on the signal thread; a signal that came earlier counts.
  void on_stop(std::function<void()> stop);

 private:
  StopSignals(Fd signals, Fd ended) : signals_(std::move(signals)), ended_(std::move(ended)) {}
  void wait();

  Fd signals_, ended_;
  std::function<void()> stop_;
  std::thread thread_;
};

}  // namespace holdfast::cli
