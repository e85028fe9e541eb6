#include "store/index/shared_work.h"

#include <condition_variable>
#include <memory>
#include <mutex>

namespace holdfast::store::index {
namespace {

// Outlives the call: a helper may look at it when everything is over.
struct Shared {
  std::mutex mutex;
  std::condition_variable idle;
  std::size_t next = 0, items = 0, busy = 0;  // busy: helpers that hold an item
  const std::function<void(std::size_t, std::size_t)>* work = nullptr;

  void help(std::size_t worker) {
    std::unique_lock lock(mutex);
    while (next < items) {
      const std::size_t item = next++;
      ++busy;
      lock.unlock();
      (*work)(item, worker);
      lock.lock();
      if (--busy == 0) idle.notify_all();
    }
  }
};

}  // namespace

void share_work(Pool& pool, std::size_t items, std::size_t helpers,
                const std::function<void(std::size_t item, std::size_t worker)>& work) {
  const auto shared = std::make_shared<Shared>();
  shared->items = items;
  shared->work = &work;
  for (std::size_t worker = 1; worker <= helpers && worker < items; ++worker)
    pool.submit([shared, worker] { shared->help(worker); });
  shared->help(0);
  std::unique_lock lock(shared->mutex);
  shared->idle.wait(lock, [&] { return shared->busy == 0; });
}

}  // namespace holdfast::store::index
