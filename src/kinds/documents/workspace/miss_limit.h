#pragma once

// Slows down whoever tries handles that do not exist (document-review §3 "Rate-limit misses"): after some misses in a minute, a
// principal's unknown handles are not even looked up until the minute is over. Handles that have held before go through: other
// conversations of the same principal do not suffer. Thread-safe; counts in this process alone, by the steady clock.

#include <chrono>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>

namespace holdfast::documents {

class MissLimit {
 public:
  static constexpr int kMisses = 30;  // a model that lost its handle tries a few times
  static constexpr std::chrono::seconds kWindow{60};

  // How long to wait before this handle is looked up; zero: now.
  std::chrono::seconds wait_for(std::string_view principal, std::string_view handle_hash);
  void note_hit(std::string_view handle_hash);
  void note_miss(std::string_view principal);

 private:
  struct Misses {
    std::chrono::steady_clock::time_point since;
    int count = 0;
  };
  std::mutex mutex_;
  std::map<std::string, Misses, std::less<>> misses_;
  std::set<std::string, std::less<>> known_;
};

}  // namespace holdfast::documents
