#include "base/run/log.h"

#include <gmock/gmock.h>

#include <sstream>
#include <thread>
#include <vector>

namespace holdfast {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;

class Log : public testing::Test {
 protected:
  void TearDown() override { set_log_level(LogLevel::info); }
  template <class Work>
  static std::string captured(Work work) {
    testing::internal::CaptureStderr();
    work();
    return testing::internal::GetCapturedStderr();
  }
};

TEST_F(Log, WritesOneLineWithTimeLevelAndRoom) {
  EXPECT_THAT(captured([] { log(LogLevel::warn, "store", "disk is slow"); }),
              ContainsRegex("^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{3}Z warn store: disk is slow\n$"));
}

TEST_F(Log, LinesOfAThreadNameTheTraceItWorksFor) {
  constexpr std::string_view kParent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
  const std::string lines = captured([&] {
    const LogTrace outer(kParent);
    {
      const LogTrace inner("00-0000000000000000000000000000000f-00f067aa0ba902b7-01");
      log(LogLevel::warn, "a", "inner");
    }
    const LogTrace nonsense("x\n\"");
    log(LogLevel::warn, "a", "outer");
    std::thread([] { log(LogLevel::warn, "a", "elsewhere"); }).join();
  });
  EXPECT_THAT(lines, HasSubstr("inner [trace 0000000000000000000000000000000f]\n"));
  EXPECT_THAT(lines, HasSubstr("outer [trace 4bf92f3577b34da6a3ce929d0e0e4736]\n"));
  EXPECT_THAT(lines, HasSubstr("elsewhere\n"));
  EXPECT_EQ(LogTrace::current(), "");
}

TEST_F(Log, ReadsTraceparentsOnly) {
  EXPECT_EQ(trace_id_of("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"), "4bf92f3577b34da6a3ce929d0e0e4736");
  EXPECT_EQ(trace_id_of("01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more"), "4bf92f3577b34da6a3ce929d0e0e4736");
  for (const std::string_view other :
       {"", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more",
        "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01", "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e473-00f067aa0ba902b7-01"})
    EXPECT_EQ(trace_id_of(other), "") << other;
}

TEST_F(Log, KeepsQuietBelowItsLevel) {
  set_log_level(LogLevel::warn);
  EXPECT_EQ(captured([] { log(LogLevel::info, "x", "y"); }), "");
  EXPECT_NE(captured([] { log(LogLevel::error, "x", "y"); }), "");
  set_log_level(LogLevel::off);
  EXPECT_EQ(captured([] { log(LogLevel::error, "x", "y"); }), "");
}

TEST_F(Log, ReadsLevelNames) {
  LogLevel level = LogLevel::info;
  EXPECT_TRUE(parse_log_level("debug", level));
  EXPECT_EQ(level, LogLevel::debug);
  EXPECT_TRUE(parse_log_level("off", level));
  EXPECT_EQ(level, LogLevel::off);
  EXPECT_FALSE(parse_log_level("loud", level));
  EXPECT_EQ(level, LogLevel::off);
}

TEST_F(Log, AStrangersTextCannotForgeLinesOrSteerTheTerminal) {
  const std::string line = captured([] { log(LogLevel::error, "mcp", "a\nb\r\x1b[31m\x7f\tc\xC2\x9b\xFF\xC3\xA9"); });
  EXPECT_THAT(line, HasSubstr("a\\nb\\x0d\\x1b[31m\\x7f\\tc\\x9b\xEF\xBF\xBD\xC3\xA9\n"));
  EXPECT_EQ(std::count(line.begin(), line.end(), '\n'), 1);
}

TEST_F(Log, LongMessagesAreCut) {
  EXPECT_LT(captured([] { log(LogLevel::error, "x", std::string(1'000'000, 'y')); }).size(), 20'000U);
}

TEST_F(Log, LinesOfManyThreadsStayWhole) {
  const std::string text = captured([] {
    std::vector<std::jthread> threads;
    for (char name = 'a'; name < 'e'; ++name) {
      threads.emplace_back([name] {
        for (int i = 0; i < 50; ++i) log(LogLevel::info, "t", std::string(5'000, name));
      });
    }
  });
  std::istringstream lines(text);
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    ASSERT_GT(line.size(), 5'000U);
    const std::string message = line.substr(line.size() - 5'000);
    ASSERT_EQ(message, std::string(5'000, message[0]));
  }
  EXPECT_EQ(count, 200);
}

}  // namespace
}  // namespace holdfast
