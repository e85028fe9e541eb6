#include "web/metrics/metrics_text.h"

#include <gtest/gtest.h>

namespace holdfast::web {
namespace {

TEST(MetricsText, EscapesWhatClientsMayHaveChosen) {
  MetricsText metrics;
  metrics.begin("calls_total", "Calls.\nAll \\ of them.", "counter");
  metrics.sample({{"tool", "a\"b\\c\nd"}, {"era", "modern"}}, std::uint64_t{3});
  EXPECT_EQ(metrics.text(),
            "# HELP holdfast_calls_total Calls.\\nAll \\\\ of them.\n"
            "# TYPE holdfast_calls_total counter\n"
            "holdfast_calls_total{tool=\"a\\\"b\\\\c\\nd\",era=\"modern\"} 3\n");
}

TEST(MetricsText, AddsUpBuckets) {
  static constexpr std::array<std::uint64_t, 2> kBounds = {1'000, 2'500'000};
  Histogram histogram(kBounds);
  for (const std::uint64_t value : {500, 1'000, 1'500, 9'000'000}) histogram.observe(value);
  MetricsText metrics;
  metrics.begin("wait_seconds", "Waits.", "histogram");
  metrics.spread({{"a", "b"}}, histogram.read(), MetricsText::kMicroseconds);
  EXPECT_EQ(metrics.text(),
            "# HELP holdfast_wait_seconds Waits.\n"
            "# TYPE holdfast_wait_seconds histogram\n"
            "holdfast_wait_seconds_bucket{a=\"b\",le=\"0.001\"} 2\n"
            "holdfast_wait_seconds_bucket{a=\"b\",le=\"2.5\"} 3\n"
            "holdfast_wait_seconds_bucket{a=\"b\",le=\"+Inf\"} 4\n"
            "holdfast_wait_seconds_sum{a=\"b\"} 9.003\n"
            "holdfast_wait_seconds_count{a=\"b\"} 4\n");
}

TEST(MetricsText, LeavesNamesThatEveryProgramUsesAlone) {
  MetricsText metrics;
  metrics.gauge("process_open_fds", "Descriptors.", 7);
  EXPECT_TRUE(metrics.text().ends_with("\nprocess_open_fds 7\n"));
}

}  // namespace
}  // namespace holdfast::web
