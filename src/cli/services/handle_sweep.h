#pragma once

// Lets sessions over documents expire now and then (document-review §3), for as long as a server runs. Made and started on the
// executor's thread; the pool is closed and the executor has stopped before it is destroyed.

#include "base/run/executor.h"
#include "base/run/pool.h"
#include "kinds/documents/workspace/handles.h"

#include <chrono>

namespace holdfast::cli {

class HandleSweep {
 public:
  static constexpr std::chrono::milliseconds kEvery{documents::Handles::kSweepEvery};

  HandleSweep(const session::SharedStore& stores, const Clock& clock, Millis ttl, Executor& executor, Pool& pool)
      : handles_(stores, clock, ttl), executor_(executor), pool_(pool) {}

  void start();

 private:
  documents::Handles handles_;
  Executor& executor_;
  Pool& pool_;
};

}  // namespace holdfast::cli
