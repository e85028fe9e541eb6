#include "search/index/workers.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

namespace holdfast::search {
namespace {

// Between two rounds of a search lie some ten microseconds.
constexpr std::chrono::microseconds kStay{150};

}  // namespace

// Outlives the workers: a helper may look at it when everything is over.
struct Workers::Shared {
  std::atomic<std::size_t> round = 0;
  std::atomic<bool> over = false;

  std::mutex mutex;  // everything below
  std::condition_variable idle;
  std::size_t next = 0, items = 0, busy = 0;    // busy: workers that hold an item
  std::array<bool, kMostHelpers + 1> called{};  // by worker: on its way, or here
  const std::function<void(std::size_t, std::size_t)>* work = nullptr;

  void work_off(std::size_t worker, std::unique_lock<std::mutex>& lock) {
    while (next < items) {
      const std::size_t item = next++;
      ++busy;
      lock.unlock();
      (*work)(item, worker);
      lock.lock();
      if (--busy == 0) idle.notify_all();
    }
  }

  void help(std::size_t worker) {
    std::unique_lock lock(mutex);
    for (;;) {
      work_off(worker, lock);
      const std::size_t seen = round;
      lock.unlock();
      const auto until = std::chrono::steady_clock::now() + kStay;
      while (round == seen && !over && std::chrono::steady_clock::now() < until) std::this_thread::yield();
      lock.lock();
      if (round != seen) continue;
      called[worker] = false;
      return;
    }
  }
};

Workers::Workers(Pool& pool) : pool_(pool), shared_(std::make_shared<Shared>()) {}

Workers::~Workers() {
  shared_->over = true;
}

void Workers::share(std::size_t items, std::size_t helpers,
                    const std::function<void(std::size_t item, std::size_t worker)>& work) {
  std::array<bool, kMostHelpers + 1> missing{};
  std::unique_lock lock(shared_->mutex);
  shared_->work = &work;
  shared_->next = 0;
  shared_->items = items;
  ++shared_->round;
  for (std::size_t worker = 1; worker <= std::min(helpers, kMostHelpers) && worker < items; ++worker)
    missing[worker] = !std::exchange(shared_->called[worker], true);
  lock.unlock();
  for (std::size_t worker = 1; worker <= kMostHelpers; ++worker)
    if (missing[worker]) pool_.submit([shared = shared_, worker] { shared->help(worker); });
  lock.lock();
  shared_->work_off(0, lock);
  shared_->idle.wait(lock, [&] { return shared_->busy == 0; });
}

}  // namespace holdfast::search
