#include "search/index/workers.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <latch>
#include <set>
#include <thread>
#include <vector>

namespace holdfast::search {
namespace {

TEST(WorkersTest, EveryItemOfEveryRoundIsDoneOnce) {
  Pool pool(Workers::kMostHelpers);
  Workers workers(pool);
  for (std::size_t round = 0; round < 300; ++round) {
    std::vector<std::atomic<int>> done(round % 17);
    std::array<std::atomic<int>, Workers::kMostHelpers + 1> at_work{};
    workers.share(done.size(), round % (Workers::kMostHelpers + 1), [&](std::size_t item, std::size_t worker) {
      EXPECT_EQ(at_work.at(worker)++, 0);  // a worker does one at a time: what it keeps for itself needs no lock
      ++done[item];
      --at_work.at(worker);
    });
    for (const auto& times : done) EXPECT_EQ(times, 1) << round;
  }
}

TEST(WorkersTest, HelpersWorkBesideTheCaller) {
  Pool pool(1);
  Workers workers(pool);
  std::latch both(2);
  std::array<std::thread::id, 2> threads;
  workers.share(2, 1, [&](std::size_t item, std::size_t) {
    threads.at(item) = std::this_thread::get_id();
    both.arrive_and_wait();  // neither ends before the other has begun
  });
  EXPECT_NE(threads[0], threads[1]);
}

TEST(WorkersTest, AHelperThatDoesNotComeIsNotWaitedFor) {
  std::latch go_on(1), blocked(1);
  Pool pool(1);  // after what its task waits for, and therefore gone first
  pool.submit([&] {
    blocked.count_down();
    go_on.wait();
  });
  blocked.wait();
  {
    Workers workers(pool);
    std::set<std::size_t> items;
    workers.share(5, 1, [&](std::size_t item, std::size_t worker) {
      EXPECT_EQ(worker, 0u);
      items.insert(item);
    });
    EXPECT_EQ(items.size(), 5u);
  }
  go_on.count_down();  // the helper finds that everything is over
}

}  // namespace
}  // namespace holdfast::search
