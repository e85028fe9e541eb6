#pragma once

// Work on many files at once, on all cores.

#include <cstddef>
#include <functional>

namespace holdfast::documents {

// Does one item, on one thread; returns false when enough is done and nobody shall take another.
using Worker = std::function<bool(std::size_t item)>;

// Items are taken in order; a worker is made for every thread and used there alone. The caller's thread takes part, and between
// items it is the one that asks `go_on` (which may be empty). Returns when nobody works any more; false when go_on said no.
// A worker that throws ends its thread's part; the others go on.
bool work_in_parallel(std::size_t items, const std::function<Worker()>& make_worker, const std::function<bool()>& go_on);

}  // namespace holdfast::documents
