#pragma once

// Work on many items at once.

#include <cstddef>
#include <functional>
#include <future>
#include <string_view>
#include <system_error>

namespace holdfast {

// Does one item, on one thread; returns false when enough is done and nobody shall take another.
using Worker = std::function<bool(std::size_t item)>;

// Items are taken in order, by so many threads or as many as there are to be had; the caller's is one of them. A worker is made
// for every thread and used there alone. Between items the caller's thread is the one that asks `go_on` (which may be empty).
// Returns when nobody works any more; false when go_on said no. A worker that throws is logged for `where` and ends its thread's
// part; the others go on.
bool work_in_parallel(std::size_t items, std::size_t threads, std::string_view where, const std::function<Worker()>& make_worker,
                      const std::function<bool()>& go_on);

// The same with one worker for all threads.
void each_in_parallel(std::size_t items, std::size_t threads, std::string_view where, const Worker& worker);

// As many as it is worth to start for so many files.
std::size_t threads_for_files(std::size_t files);

// Work that mostly waits for the disk, in a thread of its own while the caller goes on. A disk that syncs two files at once needs
// the time of one: 12 ms instead of 16 on a busy machine with two cores.
//
// get() waits for it, and so does the future's destructor: nothing that `work` refers to may go before. Where there is no thread
// to be had, get() does the work itself; who never calls it has then not done it.
template <class Work>
auto run_beside(Work work) -> std::future<decltype(work())> {
  try {
    return std::async(std::launch::async, work);
  } catch (const std::system_error&) {
    return std::async(std::launch::deferred, work);
  }
}

}  // namespace holdfast
