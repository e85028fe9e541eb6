#pragma once

// Items of work that other threads help with, as far as they get to it: a helper that the system does not let run is not waited
// for. On a busy machine, waiting for one cost more than all it would have done.

#include "base/pool.h"

#include <cstddef>
#include <functional>

namespace holdfast::store::index {

// Calls work(item, worker) once for each item below `items`, in rising order of beginning; returns when all are done. The caller
// is worker 0, the helpers are 1 to `helpers`; one worker does one item at a time.
void share_work(Pool& pool, std::size_t items, std::size_t helpers,
                const std::function<void(std::size_t item, std::size_t worker)>& work);

}  // namespace holdfast::store::index
