#include "store/postgres/rows/read_ahead.h"

#include <algorithm>

namespace holdfast::store::postgres {

namespace {

// Beginnings that are remembered: more than a node has busy connections. All are forgotten then, and learnt again at once.
constexpr std::size_t kMaxBeginnings = 10'000;

// Looks of one write that are read ahead. Those of longer writes differ from time to time.
constexpr std::size_t kMaxFollowers = 4;

}  // namespace

std::vector<Look> ReadAhead::after(const Look& first) const {
  const std::lock_guard lock(mutex_);
  const auto found = followers_.find(first);
  return found == followers_.end() ? std::vector<Look>() : found->second;
}

void ReadAhead::learn(const std::vector<Look>& looks) {
  if (looks.size() < 2) return;
  const std::size_t end = std::min(looks.size(), kMaxFollowers + 1);
  std::vector<Look> rest(looks.begin() + 1, looks.begin() + static_cast<std::ptrdiff_t>(end));
  const std::lock_guard lock(mutex_);
  if (followers_.size() >= kMaxBeginnings) followers_.clear();
  followers_.insert_or_assign(looks.front(), std::move(rest));
}

}  // namespace holdfast::store::postgres
