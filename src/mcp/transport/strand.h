#pragma once

// Blocking jobs that must happen one after the other: each runs on a pool thread, and what follows it
// runs on the executor before the next job starts.

#include "base/run/executor.h"
#include "base/run/pool.h"

#include <deque>
#include <memory>
#include <utility>

namespace holdfast::mcp {

class Strand : public std::enable_shared_from_this<Strand> {
 public:
  Strand(Executor& executor, Pool& pool) : executor_(executor), pool_(pool) {}

  // Executor thread only.
  void run(Task blocking, Task then) {
    jobs_.emplace_back(std::move(blocking), std::move(then));
    if (!busy_) next();
  }

  // Executor thread only. Forgets what has not begun: for an owner that ends while jobs hold on to it.
  void clear() { jobs_.clear(); }

 private:
  void next() {
    busy_ = !jobs_.empty();
    if (!busy_) return;
    auto [blocking, then] = std::move(jobs_.front());
    jobs_.pop_front();
    pool_.submit([self = shared_from_this(), work = std::move(blocking), after = std::move(then)]() mutable {
      work();
      Executor& executor = self->executor_;
      executor.post([self = std::move(self), after = std::move(after)]() mutable {
        after();
        self->next();
      });
    });
  }

  Executor& executor_;
  Pool& pool_;
  std::deque<std::pair<Task, Task>> jobs_;
  bool busy_ = false;
};

}  // namespace holdfast::mcp
