#include "kinds/documents/workspace/miss_limit.h"

namespace holdfast::documents {

namespace {

constexpr std::size_t kMaxKnown = 10'000;  // conversations of one process; beyond, old ones are looked up like new ones

using Time = std::chrono::steady_clock;

}  // namespace

std::chrono::seconds MissLimit::wait_for(std::string_view principal, std::string_view handle_hash) {
  const std::lock_guard lock(mutex_);
  const auto misses = misses_.find(principal);
  if (misses == misses_.end() || misses->second.count < kMisses || known_.contains(handle_hash)) return {};
  const auto over = misses->second.since + kWindow;
  if (Time::now() < over) return std::chrono::ceil<std::chrono::seconds>(over - Time::now());
  misses_.erase(misses);
  return {};
}

void MissLimit::note_hit(std::string_view handle_hash) {
  const std::lock_guard lock(mutex_);
  if (known_.size() >= kMaxKnown) known_.clear();
  known_.emplace(handle_hash);
}

void MissLimit::note_miss(std::string_view principal) {
  const std::lock_guard lock(mutex_);
  Misses& misses = misses_[std::string(principal)];
  if (misses.count == 0 || Time::now() >= misses.since + kWindow) misses = {Time::now(), 0};
  ++misses.count;
}

}  // namespace holdfast::documents
