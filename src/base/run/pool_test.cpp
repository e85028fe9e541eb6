#include "base/run/pool.h"

#include <gmock/gmock.h>

#include <atomic>
#include <latch>
#include <memory>
#include <mutex>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <vector>

namespace holdfast {
namespace {

TEST(Pool, RunsEverythingBeforeItEnds) {
  std::atomic<int> done = 0;
  {
    Pool pool(3);
    for (int i = 0; i < 1'000; ++i) pool.submit([&] { ++done; });
  }
  EXPECT_EQ(done, 1'000);
}

TEST(Pool, OneThreadKeepsTheOrder) {
  std::vector<int> seen;
  Pool pool(1);
  for (int i = 0; i < 100; ++i) pool.submit([&seen, i] { seen.push_back(i); });
  pool.close();
  std::vector<int> expected(100);
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(seen, expected);
}

TEST(Pool, BlockedTasksDoNotHoldUpOthersUpToTheLimit) {
  Pool pool(4);
  std::latch all_running(4);
  for (int i = 0; i < 4; ++i) pool.submit([&] { all_running.arrive_and_wait(); });
  pool.close();  // hangs unless four run at once
  EXPECT_TRUE(all_running.try_wait());
}

TEST(Pool, NeverMoreThanTheLimitAtOnce) {
  std::atomic<int> running = 0, most = 0;
  Pool pool(2);
  for (int i = 0; i < 200; ++i) {
    pool.submit([&] {
      const int now = ++running;
      for (int seen = most; now > seen && !most.compare_exchange_weak(seen, now);) {
      }
      std::this_thread::yield();
      --running;
    });
  }
  pool.close();
  EXPECT_LE(most, 2);
  EXPECT_GE(most, 1);
}

TEST(Pool, TasksMaySubmitTasks) {
  std::atomic<int> done = 0;
  Pool pool(2);
  std::latch second(1);
  pool.submit([&] {
    pool.submit([&] {
      ++done;
      second.count_down();
    });
    ++done;
  });
  second.wait();
  pool.close();
  EXPECT_EQ(done, 2);
}

TEST(Pool, IdleThreadsLeaveAndOthersComeWhenNeeded) {
  struct AtThreadEnd {
    std::latch* ended = nullptr;
    ~AtThreadEnd() {
      if (ended) ended->count_down();
    }
  };
  Pool pool(2, std::chrono::milliseconds(1));
  for (int round = 0; round < 3; ++round) {
    std::latch ended(1);
    pool.submit([&] {
      thread_local AtThreadEnd at_end;
      at_end.ended = &ended;
    });
    ended.wait();  // hangs unless the thread leaves while the pool lives
  }
}

TEST(Pool, AfterCloseTasksAreDroppedAndReleased) {
  Pool pool;
  pool.close();
  pool.close();
  auto held = std::make_shared<int>(1);
  pool.submit([held] { FAIL() << "ran after close"; });
  EXPECT_EQ(held.use_count(), 1);
}

TEST(Pool, ATaskThatThrowsHurtsNobody) {
  testing::internal::CaptureStderr();
  std::atomic<int> done = 0;
  {
    Pool pool(1);
    pool.submit([] { throw std::runtime_error("broken task"); });
    pool.submit([&] { ++done; });
  }
  EXPECT_EQ(done, 1);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), testing::HasSubstr("broken task"));
}

TEST(Pool, ManySubmittersAndTwoClosers) {
  std::atomic<int> submitted = 0, done = 0;
  Pool pool(4);
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        for (int j = 0; j < 500; ++j) {
          ++submitted;
          pool.submit([&] { ++done; });
        }
      });
    }
    threads.clear();
    threads.emplace_back([&] { pool.close(); });
    threads.emplace_back([&] { pool.close(); });
  }
  EXPECT_EQ(done, submitted);
}

}  // namespace
}  // namespace holdfast
