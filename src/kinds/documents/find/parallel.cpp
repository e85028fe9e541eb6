#include "kinds/documents/find/parallel.h"

#include "base/run/run_guarded.h"

#include <algorithm>
#include <atomic>
#include <system_error>
#include <thread>
#include <vector>

namespace holdfast::documents {

namespace {

constexpr std::size_t kItemsPerThread = 16;  // fewer small files are read before another thread has started
constexpr std::size_t kMaxWorkers = 16;      // each has buffers of its own

}  // namespace

bool work_in_parallel(std::size_t items, const std::function<Worker()>& make_worker, const std::function<bool()>& go_on) {
  std::atomic<std::size_t> next{0};
  std::atomic<bool> stop{false};
  bool interrupted = false;
  const auto work = [&](bool asks) {
    auto guarded = [&] {
      const Worker worker = make_worker();
      while (!stop) {
        if (asks && go_on && !go_on()) {
          interrupted = true;
          stop = true;
          return;
        }
        const std::size_t item = next++;
        if (item >= items) return;
        if (!worker(item)) stop = true;
      }
    };
    run_guarded(guarded, "documents");
  };
  {
    const std::size_t wanted =
        std::min({std::size_t{std::thread::hardware_concurrency()}, kMaxWorkers, items / kItemsPerThread + 1});
    std::vector<std::jthread> others;
    try {
      while (others.size() + 1 < wanted) others.emplace_back([&] { work(false); });
    } catch (const std::system_error&) {
      // No thread to be had: we are still there.
    }
    work(true);
  }
  return !interrupted;
}

}  // namespace holdfast::documents
