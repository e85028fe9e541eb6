#include "base/run/when.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace holdfast {
namespace {

const Millis kAskedAt = parse_time("2026-02-10T12:00:00Z").value();

std::string when(std::string_view text) {
  const auto time = parse_when(text, kAskedAt);
  return time ? iso8601(*time) : std::string(time.error().word());
}

std::string until(std::string_view text) {
  const auto time = parse_until(text, kAskedAt);
  return time ? iso8601(*time) : std::string(time.error().word());
}

TEST(When, TakesTimesDatesAndAges) {
  EXPECT_EQ(when("2026-01-31T09:30:00Z"), "2026-01-31T09:30:00.000Z");
  EXPECT_EQ(when("2026-01-31T09:30:00+02:00"), "2026-01-31T07:30:00.000Z");
  EXPECT_EQ(when("2026-01-31"), "2026-01-31T00:00:00.000Z");
  EXPECT_EQ(when("90s"), "2026-02-10T11:58:30.000Z");
  EXPECT_EQ(when("30m"), "2026-02-10T11:30:00.000Z");
  EXPECT_EQ(when("2h"), "2026-02-10T10:00:00.000Z");
  EXPECT_EQ(when("3d"), "2026-02-07T12:00:00.000Z");
  EXPECT_EQ(when("1w"), "2026-02-03T12:00:00.000Z");
  EXPECT_EQ(when("0d"), iso8601(kAskedAt));
  EXPECT_EQ(when("1770724800000"), iso8601(kAskedAt)) << "milliseconds";
}

TEST(When, AnAgeCountsForwardForWhatIsToCome) {
  EXPECT_EQ(until("3d"), "2026-02-13T12:00:00.000Z");
  EXPECT_EQ(until("2026-02-11"), "2026-02-11T00:00:00.000Z");
  EXPECT_EQ(until("2026-02-10"), "invalid") << "midnight is over";
  EXPECT_EQ(until("0d"), "invalid");
  EXPECT_EQ(until("soon"), "invalid");
}

TEST(When, SaysWhatItTakes) {
  for (const char* wrong : {"", "h", "-2h", "2 h", "2y", "2hd", "99999999999999999999d", "100001w", "2026-02-30", "yesterday"})
    EXPECT_EQ(when(wrong), "invalid") << wrong;
  EXPECT_EQ(parse_when("soon", kAskedAt).error().message, "\"soon\" is not a time");
  EXPECT_THAT(parse_when("soon", kAskedAt).error().hint, testing::HasSubstr("3d"));
}

TEST(When, KnowsAgesFromDays) {
  EXPECT_TRUE(is_age("3d"));
  EXPECT_FALSE(is_age("2026-02-10"));
  EXPECT_TRUE(is_date("2026-02-10"));
  EXPECT_FALSE(is_date("2026-02-10T00:00:00Z"));
}

}  // namespace
}  // namespace holdfast
