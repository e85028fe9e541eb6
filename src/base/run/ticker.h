#pragma once

// Does something again and again on a thread of its own, until it is let go of.

#include "base/run/run_guarded.h"

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace holdfast {

class Ticker {
 public:
  enum class First { at_once, after_pause };
  // `work` takes the token for what lasts; `pause` is between the end of one time and the next. What it throws is logged for
  // `where`, and ends it. Throws std::system_error when there is no thread to be had.
  Ticker(std::string_view where, std::chrono::milliseconds pause, First first, std::function<void(const std::stop_token&)> work)
      : where_(where), pause_(pause), first_(first), work_(std::move(work)), thread_([this](const std::stop_token& stop) {
          const auto loop = [&] { run(stop); };
          run_guarded(loop, where_);
        }) {}
  Ticker(const Ticker&) = delete;
  Ticker& operator=(const Ticker&) = delete;
  ~Ticker() = default;  // stop()

  // Ends a pause, and waits for work that is under way. Not from `work`.
  void stop() {
    thread_.request_stop();
    if (thread_.joinable()) thread_.join();
  }

 private:
  void run(const std::stop_token& stop) {
    std::mutex mutex;
    std::condition_variable_any wake;
    for (bool rests = first_ == First::after_pause;; rests = true) {
      if (rests) {
        std::unique_lock lock(mutex);
        wake.wait_for(lock, stop, pause_, [] { return false; });
      }
      if (stop.stop_requested()) return;
      work_(stop);
    }
  }

  const std::string where_;
  const std::chrono::milliseconds pause_;
  const First first_;
  const std::function<void(const std::stop_token&)> work_;
  std::jthread thread_;  // the last to be made
};

}  // namespace holdfast
