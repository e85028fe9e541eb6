#include "base/run/parallel.h"

#include "base/run/run_guarded.h"

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace holdfast {

bool work_in_parallel(std::size_t items, std::size_t threads, std::string_view where, const std::function<Worker()>& make_worker,
                      const std::function<bool()>& go_on) {
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
    run_guarded(guarded, where);
  };
  {
    std::vector<std::jthread> others;
    try {
      while (others.size() + 1 < std::min(threads, items)) others.emplace_back([&] { work(false); });
    } catch (const std::system_error&) {
      // No thread to be had: we are still there.
    }
    work(true);
  }
  return !interrupted;
}

void each_in_parallel(std::size_t items, std::size_t threads, std::string_view where, const Worker& worker) {
  work_in_parallel(items, threads, where, [&] { return worker; }, {});
}

std::size_t threads_for_files(std::size_t files) {
  constexpr std::size_t kFilesPerThread = 16;  // fewer small files are read before another thread has started
  constexpr std::size_t kMostThreads = 16;     // each has buffers of its own
  return std::min({std::size_t{std::thread::hardware_concurrency()}, kMostThreads, files / kFilesPerThread + 1});
}

}  // namespace holdfast
