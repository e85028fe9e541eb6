#pragma once

#include "base/run/executor.h"
#include "base/run/pool.h"

namespace holdfast {

// Does it on the pool each time so much has passed, for as long as the executor runs. Called on the executor's thread, or before
// it runs; the pool is closed and the executor has stopped before anything that `work` uses is destroyed.
inline void repeat(Executor& executor, Pool& pool, std::chrono::milliseconds every, std::function<void()> work) {
  executor.after(every, [&executor, &pool, every, work = std::move(work)] {
    pool.submit(work);
    repeat(executor, pool, every, work);
  });
}

}  // namespace holdfast
