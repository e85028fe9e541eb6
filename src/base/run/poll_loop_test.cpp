#include "base/run/poll_loop.h"

#include "base/files/fd.h"
#include "base/files/file.h"

#include <gmock/gmock.h>

#include <fcntl.h>

#include <csignal>
#include <stdexcept>
#include <thread>
#include <vector>

namespace holdfast {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

struct Pipe {
  Pipe() {
    int ends[2] = {-1, -1};
    EXPECT_EQ(::pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
    out = Fd(ends[0]);
    in = Fd(ends[1]);
  }
  void write(std::string_view bytes) { EXPECT_TRUE(write_all(in.get(), bytes)); }
  std::string read() {
    char bytes[64];
    const ssize_t got = ::read(out.get(), bytes, sizeof bytes);
    return got > 0 ? std::string(bytes, static_cast<std::size_t>(got)) : "";
  }
  Fd out, in;
};

TEST(PollLoop, RunsPostedTasksInOrderAndNeverInsidePost) {
  PollLoop loop;
  std::vector<int> seen;
  loop.post([&] {
    seen.push_back(1);
    loop.post([&] { seen.push_back(3); });
    seen.push_back(2);
  });
  EXPECT_TRUE(seen.empty());
  loop.run_ready();
  EXPECT_THAT(seen, ElementsAre(1, 2, 3));
}

TEST(PollLoop, TimersRunByTimeThenByOrder) {
  PollLoop loop;
  std::vector<char> seen;
  loop.after(20ms, [&] {
    seen.push_back('c');
    loop.stop();
  });
  loop.after(0ms, [&] { seen.push_back('a'); });
  loop.after(0ms, [&] { seen.push_back('b'); });
  loop.run();
  EXPECT_THAT(seen, ElementsAre('a', 'b', 'c'));
}

TEST(PollLoop, CancelledTimersDoNotRun) {
  PollLoop loop;
  bool ran = false;
  const TimerId first = loop.after(0ms, [&] { ran = true; });
  EXPECT_NE(first, 0U);
  loop.cancel(first);
  loop.cancel(first);
  loop.cancel(12345);
  // One that runs first may still cancel one of the same instant.
  TimerId victim = 0;
  loop.after(0ms, [&] { loop.cancel(victim); });
  victim = loop.after(0ms, [&] { ran = true; });
  std::this_thread::yield();
  loop.run_ready();
  EXPECT_FALSE(ran);
}

TEST(PollLoop, RunReadyDoesNotWait) {
  PollLoop loop;
  bool ran = false;
  loop.after(1h, [&] { ran = true; });
  loop.after(std::chrono::milliseconds::max(), [&] { ran = true; });
  loop.run_ready();
  EXPECT_FALSE(ran);
}

TEST(PollLoop, CallsWhenADescriptorCanBeRead) {
  PollLoop loop;
  Pipe pipe;
  std::string seen;
  loop.watch(pipe.out.get(), [&] { seen += pipe.read(); });
  loop.run_ready();
  EXPECT_EQ(seen, "");
  pipe.write("ab");
  loop.run_ready();
  EXPECT_EQ(seen, "ab");
  loop.unwatch(pipe.out.get());
  pipe.write("c");
  loop.run_ready();
  EXPECT_EQ(seen, "ab");
}

TEST(PollLoop, CallsAtTheEndOfADescriptor) {
  PollLoop loop;
  Pipe pipe;
  int calls = 0;
  loop.watch(pipe.out.get(), [&] {
    ++calls;
    loop.unwatch(pipe.out.get());  // its own watch, while it runs
  });
  pipe.in.reset();
  loop.run_ready();
  loop.run_ready();
  EXPECT_EQ(calls, 1);
}

TEST(PollLoop, ACallbackMayUnwatchAnother) {
  PollLoop loop;
  Pipe a, b;
  int calls = 0;
  const auto callback = [&] {
    ++calls;
    loop.unwatch(a.out.get());
    loop.unwatch(b.out.get());
  };
  loop.watch(a.out.get(), callback);
  loop.watch(b.out.get(), callback);
  a.write("x");
  b.write("x");
  loop.run_ready();
  EXPECT_EQ(calls, 1);
}

TEST(PollLoop, AClosedDescriptorIsReportedNotSpunOn) {
  PollLoop loop;
  Pipe pipe;
  int calls = 0;
  loop.watch(pipe.out.get(), [&] { ++calls; });
  testing::internal::CaptureStderr();  // first, because it opens a file, which may take the free number
  pipe.out.reset();
  loop.run_ready();
  loop.run_ready();
  const std::string logged = testing::internal::GetCapturedStderr();
  EXPECT_EQ(calls, 0);
  EXPECT_EQ(std::count(logged.begin(), logged.end(), '\n'), 1) << logged;
}

TEST(PollLoop, StopLetsQueuedTasksRunAndTheLoopCanRunAgain) {
  PollLoop loop;
  int ran = 0;
  loop.post([&] {
    loop.stop();
    loop.post([&] { ++ran; });
  });
  loop.run();
  EXPECT_EQ(ran, 1);
  loop.post([&] { ++ran; });
  loop.stop();
  loop.run();  // stopped beforehand: returns at once, after what was queued
  EXPECT_EQ(ran, 2);
}

TEST(PollLoop, PostsOfManyThreadsWakeIt) {
  PollLoop loop;
  constexpr int kThreads = 4, kEach = 500;
  int seen = 0;  // loop thread only
  std::vector<std::jthread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      for (int j = 0; j < kEach; ++j) {
        loop.post([&] {
          if (++seen == kThreads * kEach) loop.stop();
        });
      }
    });
  }
  loop.run();
  EXPECT_EQ(seen, kThreads * kEach);
}

TEST(PollLoop, StopsFromAnotherThread) {
  PollLoop loop;
  std::jthread stopper([&] { loop.stop(); });
  loop.run();
}

PollLoop* loop_of_signal = nullptr;

TEST(PollLoop, StopsFromASignalHandler) {
  PollLoop loop;
  loop_of_signal = &loop;
  struct sigaction action{}, old{};
  action.sa_handler = [](int) { loop_of_signal->stop(); };
  ASSERT_EQ(::sigaction(SIGUSR1, &action, &old), 0);
  loop.post([] { ::raise(SIGUSR1); });
  loop.run();
  ::sigaction(SIGUSR1, &old, nullptr);
}

TEST(PollLoop, ATaskThatThrowsHurtsNobody) {
  PollLoop loop;
  bool ran = false;
  testing::internal::CaptureStderr();
  loop.post([] { throw std::runtime_error("broken task"); });
  loop.post([&] { ran = true; });
  loop.run_ready();
  EXPECT_TRUE(ran);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), testing::HasSubstr("broken task"));
}

}  // namespace
}  // namespace holdfast
