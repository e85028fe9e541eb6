#include "net/run/event_loop.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/epoll.h>
#include <sys/eventfd.h>

#include <chrono>
#include <stdexcept>
#include <thread>
#include <vector>

namespace holdfast::net {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

TEST(EventLoop, RunsPostedTasksInOrderAndNeverInsidePost) {
  EventLoop loop;
  std::vector<int> order;
  loop.post([&] {
    loop.post([&] {
      order.push_back(3);
      loop.stop();
    });
    order.push_back(1);
  });
  loop.post([&] { order.push_back(2); });
  EXPECT_TRUE(order.empty());
  loop.run();
  EXPECT_THAT(order, ElementsAre(1, 2, 3));
}

TEST(EventLoop, IsWokenByOtherThreads) {
  EventLoop loop;
  constexpr int kThreads = 4, kTasks = 1000;
  int ran = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < kTasks; ++i)
        loop.post([&] {
          EXPECT_TRUE(loop.on_loop_thread());
          if (++ran == kThreads * kTasks) loop.stop();
        });
    });
  loop.run();
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(ran, kThreads * kTasks);
  EXPECT_FALSE(loop.on_loop_thread());
}

TEST(EventLoop, RunsTimersByTimeAndNotWhenCancelled) {
  EventLoop loop;
  std::vector<int> order;
  loop.after(6ms, [&] {
    order.push_back(3);
    loop.stop();
  });
  loop.after(0ms, [&] { order.push_back(1); });
  loop.after(3ms, [&] { order.push_back(2); });
  const TimerId cancelled = loop.after(1ms, [&] { order.push_back(9); });
  EXPECT_NE(cancelled, 0u);
  loop.cancel(cancelled);
  loop.cancel(cancelled);
  loop.cancel(12345);
  loop.run();
  EXPECT_THAT(order, ElementsAre(1, 2, 3));
}

TEST(EventLoop, ATimerMayCancelAnotherThatIsDueToo) {
  EventLoop loop;
  bool second = false;
  TimerId other = 0;
  loop.after(0ms, [&] { loop.cancel(other); });
  other = loop.after(0ms, [&] { second = true; });
  loop.after(1ms, [&] { loop.stop(); });
  std::this_thread::yield();
  loop.run();
  EXPECT_FALSE(second);
}

TEST(EventLoop, SurvivesATaskThatThrows) {
  EventLoop loop;
  loop.post([] { throw std::runtime_error("thrown by a test"); });
  loop.after(0ms, [] { throw 1; });
  loop.after(1ms, [&] { loop.stop(); });
  loop.run();
}

TEST(EventLoop, RunsWhatWasPostedBeforeItStopped) {
  EventLoop loop;
  bool ran = false;
  loop.post([&] {
    loop.stop();
    loop.post([&] { ran = true; });
  });
  loop.run();
  EXPECT_TRUE(ran);
}

class Unwatching final : public EventLoop::Watcher {
 public:
  Unwatching(EventLoop& loop, Unwatching*& other) : loop_(loop), other_(other), fd_(::eventfd(1, EFD_NONBLOCK | EFD_CLOEXEC)) {
    EXPECT_TRUE(loop.watch(fd_.get(), EPOLLIN, this).has_value());
  }
  void on_ready(std::uint32_t) override {
    ++calls;
    loop_.unwatch(other_->fd_.get(), other_);
    loop_.unwatch(fd_.get(), this);
    loop_.post([this] { loop_.stop(); });
  }
  int calls = 0;

 private:
  EventLoop& loop_;
  Unwatching*& other_;
  Fd fd_;
};

TEST(EventLoop, DoesNotCallAWatcherThatWasTakenOutInTheSameBatch) {
  EventLoop loop;
  Unwatching *first_ptr = nullptr, *second_ptr = nullptr;
  Unwatching first(loop, second_ptr), second(loop, first_ptr);
  first_ptr = &first;
  second_ptr = &second;
  loop.run();
  EXPECT_EQ(first.calls + second.calls, 1);
}

}  // namespace
}  // namespace holdfast::net
