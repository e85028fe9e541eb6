#include "cli/stop_signals.h"

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

TEST(StopSignalsDeathTest, TheSecondDoesNot) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(stop_twice(), testing::ExitedWithCode(128 + SIGTERM), "");
}

}  // namespace
}  // namespace holdfast::cli
