#pragma once

// A lock whose taker can be told not to wait any longer: what is done under it may take as long as a server takes to come back.

#include <condition_variable>
#include <memory>
#include <mutex>
#include <stop_token>

namespace holdfast::runner {

class OneAtATime {
 public:
  // Held as long as what it gives; none when stop was requested first.
  using Hold = std::unique_ptr<OneAtATime, void (*)(OneAtATime*)>;
  Hold take(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    if (!free_.wait(lock, stop, [this] { return !taken_; })) return {nullptr, give_back};
    taken_ = true;
    return {this, give_back};
  }

 private:
  static void give_back(OneAtATime* held) {
    const std::lock_guard lock(held->mutex_);
    held->taken_ = false;
    held->free_.notify_one();
  }

  std::mutex mutex_;
  std::condition_variable_any free_;
  bool taken_ = false;
};

}  // namespace holdfast::runner
