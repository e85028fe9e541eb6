#include "base/run/histogram.h"

#include <gtest/gtest.h>

#include <numeric>
#include <thread>
#include <vector>

namespace holdfast {
namespace {

TEST(Histogram, CountsAValueInTheBucketOfItsBound) {
  Histogram histogram(kSizeBounds);
  for (const std::uint64_t value : {0, 1, 2, 3, 4, 256, 257, 9999}) histogram.observe(value);
  const auto seen = histogram.read();
  EXPECT_EQ(seen.counts[0], 2U) << "up to 1";
  EXPECT_EQ(seen.counts[1], 1U) << "2";
  EXPECT_EQ(seen.counts[2], 2U) << "3 and 4";
  EXPECT_EQ(seen.counts[8], 1U) << "256 belongs to its bound";
  EXPECT_EQ(seen.counts[9], 2U) << "beyond the last";
  EXPECT_EQ(seen.count, 8U);
  EXPECT_EQ(seen.sum, 0U + 1 + 2 + 3 + 4 + 256 + 257 + 9999);
}

TEST(Histogram, TakesDurationsInMicroseconds) {
  Histogram histogram(kDurationBounds);
  histogram.observe(std::chrono::milliseconds(3));
  histogram.observe(std::chrono::milliseconds(-3));
  const auto seen = histogram.read();
  EXPECT_EQ(seen.sum, 3000U);
  EXPECT_EQ(seen.counts[5], 1U) << "up to 5 ms";
  EXPECT_EQ(seen.counts[0], 1U) << "a clock that went back took no time";
}

TEST(Histogram, LosesNothingBetweenThreads) {
  Histogram histogram(kSizeBounds);
  constexpr int kThreads = 4, kEach = 10'000;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&] {
        for (int n = 0; n < kEach; ++n) histogram.observe(static_cast<std::uint64_t>(n % 300));
      });
    }
  }
  EXPECT_EQ(histogram.read().count, static_cast<std::uint64_t>(kThreads * kEach));
}

}  // namespace
}  // namespace holdfast
