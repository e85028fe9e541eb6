#include "base/run/clock.h"

#include "base/files/file.h"
#include "base/files/test_folder.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <filesystem>

namespace holdfast {
namespace {

TEST(Time, PrintsMillisecondsInUtc) {
  EXPECT_EQ(iso8601(0), "1970-01-01T00:00:00.000Z");
  EXPECT_EQ(iso8601(1'785'231'000'123), "2026-07-28T09:30:00.123Z");
  EXPECT_EQ(iso8601(-1), "1969-12-31T23:59:59.999Z");
  EXPECT_EQ(iso8601(951'782'400'000), "2000-02-29T00:00:00.000Z");
}

TEST(Time, ClampsWhatFourDigitsCannotSay) {
  EXPECT_EQ(iso8601(std::numeric_limits<Millis>::max()), "9999-12-31T23:59:59.999Z");
  EXPECT_EQ(iso8601(std::numeric_limits<Millis>::min()), "0000-01-01T00:00:00.000Z");
}

TEST(Time, ReadsRfc3339AndMilliseconds) {
  const std::pair<const char*, Millis> vectors[] = {
      {"2026-07-28T09:30:00Z", 1'785'231'000'000},
      {"2026-07-28t09:30:00z", 1'785'231'000'000},
      {"2026-07-28 09:30:00Z", 1'785'231'000'000},
      {"2026-07-28T09:30:00.1Z", 1'785'231'000'100},
      {"2026-07-28T09:30:00.123999999Z", 1'785'231'000'123},
      {"2026-07-28T11:30:00+02:00", 1'785'231'000'000},
      {"2026-07-28T04:00:00-05:30", 1'785'231'000'000},
      {"1969-12-31T23:59:59.999Z", -1},
      {"2016-12-31T23:59:60Z", 1'483'228'800'000},
      {"0", 0},
      {"1785231000000", 1'785'231'000'000},
      {"-5", -5},
  };
  for (const auto& [text, millis] : vectors) EXPECT_EQ(parse_time(text), millis) << text;
}

TEST(Time, RefusesEverythingElse) {
  for (const char* text : {"",
                           " ",
                           "now",
                           "2026-07-28",
                           "2026-07-28T09:30Z",
                           "2026-07-28T09:30:00",
                           "2026-02-29T00:00:00Z",
                           "2026-13-01T00:00:00Z",
                           "2026-00-01T00:00:00Z",
                           "2026-07-28T24:00:00Z",
                           "2026-07-28T09:60:00Z",
                           "2026-07-28T09:30:61Z",
                           "2026-07-28T09:30:00.Z",
                           "2026-07-28T09:30:00.1234567890Z",
                           "2026-07-28T09:30:00+0200",
                           "2026-07-28T09:30:00Zx",
                           "12.5",
                           "1e3",
                           "+5",
                           "99999999999999999999",
                           "999999999999999",
                           "0000-01-01T00:00:00+23:59"}) {
    const auto time = parse_time(text);
    ASSERT_FALSE(time) << text;
    EXPECT_EQ(time.error().kind, ErrorKind::invalid);
  }
}

RC_GTEST_PROP(TimeProperty, WhatIsPrintedReadsBackEqual, ()) {
  const Millis time = *rc::gen::inRange<Millis>(-62'167'219'200'000, 253'402'300'800'000);
  RC_ASSERT(parse_time(iso8601(time)).value() == time);
}

TEST(FileClock, FollowsItsFileAndKeepsTheLastInstant) {
  const TestFolder folder;
  const std::string path = folder / "clock";
  EXPECT_EQ(FileClock::open(path).error().kind, ErrorKind::not_found);
  ASSERT_TRUE(replace_file(path, "rubbish"));
  EXPECT_EQ(FileClock::open(path).error().kind, ErrorKind::invalid);

  ASSERT_TRUE(replace_file(path, "2026-07-28T09:30:00Z\n"));
  const auto clock = FileClock::open(path);
  ASSERT_TRUE(clock);
  EXPECT_TRUE((*clock)->is_test());
  EXPECT_EQ((*clock)->now(), 1'785'231'000'000);
  ASSERT_TRUE(replace_file(path, " 42 \n"));
  EXPECT_EQ((*clock)->now(), 42);
  ASSERT_TRUE(replace_file(path, ""));
  EXPECT_EQ((*clock)->now(), 42);
  std::filesystem::remove(path);
  EXPECT_EQ((*clock)->now(), 42);
  ASSERT_TRUE(replace_file(path, "41"));
  EXPECT_EQ((*clock)->now(), 41);
}

TEST(Clock, ManualAndSystem) {
  ManualClock manual(10);
  manual.advance(5);
  EXPECT_EQ(manual.now(), 15);
  manual.set(3);
  EXPECT_EQ(manual.now(), 3);
  EXPECT_FALSE(SystemClock().is_test());
  EXPECT_GT(SystemClock().now(), *parse_time("2024-01-01T00:00:00Z"));
}

}  // namespace
}  // namespace holdfast
