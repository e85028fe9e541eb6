#include "cli/program/stop_signals.h"

#include <gtest/gtest.h>

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <future>

namespace holdfast::cli {
namespace {

// Signals are blocked for good by watch(), so each case has a process of its own.
[[noreturn]] void stop_once() {
  std::promise<void> asked;
  auto signals = StopSignals::watch();
  if (!signals) ::_exit(9);
  ::kill(::getpid(), SIGTERM);  // before anybody listens
  (*signals)->on_stop([&] { asked.set_value(); });
  asked.get_future().wait();
  signals->reset();
  ::_exit(0);
}

// As when the terminal is closed, and as under nohup.
[[noreturn]] void hang_up(bool ignored) {
  std::promise<void> asked;
  if (ignored) ::signal(SIGHUP, SIG_IGN);
  auto signals = StopSignals::watch();
  if (!signals) ::_exit(9);
  int asks = 0;
  (*signals)->on_stop([&] {
    ++asks;
    asked.set_value();
  });
  ::kill(::getpid(), SIGHUP);
  if (ignored) ::kill(::getpid(), SIGTERM);  // the first that counts: were it the second, it would end us
  asked.get_future().wait();
  signals->reset();
  ::_exit(asks == 1 ? 0 : 8);
}

[[noreturn]] void stop_twice() {
  std::promise<void> asked;
  auto signals = StopSignals::watch();
  if (!signals) ::_exit(9);
  (*signals)->on_stop([&] { asked.set_value(); });
  ::kill(::getpid(), SIGINT);
  asked.get_future().wait();
  ::kill(::getpid(), SIGTERM);
  for (;;) ::pause();
}

TEST(StopSignalsDeathTest, TheFirstSignalAsks) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(stop_once(), testing::ExitedWithCode(0), "");
}

TEST(StopSignalsDeathTest, AClosedTerminalAsksToo) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(hang_up(false), testing::ExitedWithCode(0), "");
  EXPECT_EXIT(hang_up(true), testing::ExitedWithCode(0), "");
}

TEST(StopSignalsDeathTest, TheSecondDoesNot) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(stop_twice(), testing::ExitedWithCode(128 + SIGTERM), "");
}

}  // namespace
}  // namespace holdfast::cli
