#include "cli/arguments/since.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace holdfast::cli {
namespace {

const Millis kAskedAt = parse_time("2026-02-10T12:00:00Z").value();

std::string since(std::string_view text) {
  const auto time = parse_since(text, kAskedAt);
  return time ? iso8601(*time) : std::string(time.error().word());
}

TEST(Since, TakesTimesDatesAndAges) {
  EXPECT_EQ(since("2026-01-31T09:30:00Z"), "2026-01-31T09:30:00.000Z");
  EXPECT_EQ(since("2026-01-31T09:30:00+02:00"), "2026-01-31T07:30:00.000Z");
  EXPECT_EQ(since("2026-01-31"), "2026-01-31T00:00:00.000Z");
  EXPECT_EQ(since("90s"), "2026-02-10T11:58:30.000Z");
  EXPECT_EQ(since("30m"), "2026-02-10T11:30:00.000Z");
  EXPECT_EQ(since("2h"), "2026-02-10T10:00:00.000Z");
  EXPECT_EQ(since("3d"), "2026-02-07T12:00:00.000Z");
  EXPECT_EQ(since("1w"), "2026-02-03T12:00:00.000Z");
  EXPECT_EQ(since("0d"), iso8601(kAskedAt));
}

TEST(Since, SaysWhatItTakes) {
  for (const char* wrong : {"", "h", "-2h", "2 h", "2y", "2hd", "99999999999999999999d", "100001w", "2026-02-30", "yesterday"})
    EXPECT_EQ(since(wrong), "invalid") << wrong;
  EXPECT_THAT(parse_since("soon", kAskedAt).error().hint, testing::HasSubstr("3d"));
}

}  // namespace
}  // namespace holdfast::cli
