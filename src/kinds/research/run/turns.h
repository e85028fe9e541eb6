#pragma once

// Work done side by side whose results must be written in order.
//
// Questions are searched for at the same time, but citation numbers are given in the order of the questions: otherwise the same
// run would number its sources differently each time. Whoever is first in line writes at once; the others keep what they have
// until those before them are through. Thread-safe.

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <set>

namespace holdfast::research {

class Turns {
 public:
  // Whether all before this one are through.
  bool has_come(std::size_t index) const {
    const std::lock_guard lock(mutex_);
    return first_ >= index;
  }
  void wait_for(std::size_t index) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return first_ >= index; });
  }
  // Must be called once for each, also after a failure: those behind wait for it.
  void pass(std::size_t index) {
    const std::lock_guard lock(mutex_);
    passed_.insert(index);
    while (passed_.erase(first_) != 0) ++first_;
    changed_.notify_all();
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::set<std::size_t> passed_;
  std::size_t first_ = 0;
};

}  // namespace holdfast::research
