#pragma once

// Threads that help with items of work, as far as they get to it: a helper that the system does not let run is not waited for. On
// a busy machine, waiting for one cost more than all it would have done.
//
// A search has several rounds of work of some hundred microseconds each, and waking a thread takes as long as half of one. So a
// helper that has come stays for the next round, looking out for it, and leaves when there is none soon.

#include "base/run/pool.h"

#include <cstddef>
#include <functional>
#include <memory>

namespace holdfast::search {

class Workers {
 public:
  static constexpr std::size_t kMostHelpers = 3;

  explicit Workers(Pool& pool);
  ~Workers();  // sends the helpers home
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  // Calls work(item, worker) once for each item below `items`, in rising order of beginning; returns when all are done. The
  // caller is worker 0; up to `helpers` others are called, and those who are still here help, too (1 to kMostHelpers). One worker
  // does one item at a time. One caller at a time.
  void share(std::size_t items, std::size_t helpers, const std::function<void(std::size_t item, std::size_t worker)>& work);

 private:
  struct Shared;
  Pool& pool_;
  std::shared_ptr<Shared> shared_;
};

}  // namespace holdfast::search
