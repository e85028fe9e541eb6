#pragma once

// How values are spread: how many fell below each of some fixed bounds, and their sum. For durations and sizes that are measured
// with every request and looked at now and then (/metrics).
//
// Lock-free; observe() is two additions and a walk over at most kMaxBounds numbers, from any thread. A reader may see a value in
// the counts and not yet in the sum; the count itself is the sum of all buckets, so buckets and count never disagree.

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <span>

namespace holdfast {

class Histogram {
 public:
  static constexpr std::size_t kMaxBounds = 20;

  // The bounds ascend, are at most kMaxBounds, and outlive the histogram: constants.
  explicit constexpr Histogram(std::span<const std::uint64_t> bounds)
      : bounds_(bounds.first(std::min(bounds.size(), kMaxBounds))) {}

  void observe(std::uint64_t value) {
    const auto place = static_cast<std::size_t>(std::ranges::lower_bound(bounds_, value) - bounds_.begin());
    counts_[place].fetch_add(1, std::memory_order_relaxed);
    sum_.fetch_add(value, std::memory_order_relaxed);
  }
  void observe(std::chrono::steady_clock::duration time) {
    const auto elapsed = std::chrono::duration_cast<std::chrono::microseconds>(time).count();
    observe(static_cast<std::uint64_t>(std::max<std::int64_t>(elapsed, 0)));
  }

  struct Snapshot {
    std::span<const std::uint64_t> bounds;
    std::array<std::uint64_t, kMaxBounds + 1> counts{};  // of each bucket alone; the one behind the last bound has the rest
    std::uint64_t count = 0;
    std::uint64_t sum = 0;
  };
  Snapshot read() const {
    Snapshot snapshot;
    snapshot.bounds = bounds_;
    for (std::size_t i = 0; i <= bounds_.size(); ++i) {
      snapshot.counts[i] = counts_[i].load(std::memory_order_relaxed);
      snapshot.count += snapshot.counts[i];
    }
    snapshot.sum = sum_.load(std::memory_order_relaxed);
    return snapshot;
  }

 private:
  std::span<const std::uint64_t> bounds_;
  std::array<std::atomic<std::uint64_t>, kMaxBounds + 1> counts_{};
  std::atomic<std::uint64_t> sum_ = 0;
};

// Microseconds. From what a cached answer takes to what nobody waits for: enough steps for a p99 within a factor of 2.5.
inline constexpr std::array<std::uint64_t, 16> kDurationBounds = {100,       250,       500,        1'000,     2'500,   5'000,
                                                                  10'000,    25'000,    50'000,     100'000,   250'000, 500'000,
                                                                  1'000'000, 2'500'000, 10'000'000, 60'000'000};

// How many share something.
inline constexpr std::array<std::uint64_t, 9> kSizeBounds = {1, 2, 4, 8, 16, 32, 64, 128, 256};

}  // namespace holdfast
