#pragma once

// Work on many items at once.

#include <cstddef>
#include <functional>
#include <string_view>

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

}  // namespace holdfast
