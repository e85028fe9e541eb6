#pragma once

// Keeps the server's statistics in step with the size of the tables.
//
// The server looks after them by itself: a minute later, and not at all when it crashes more often than that, because it forgets
// how much was written. A plan for the table that was there an hour ago then compares every text of the one that is there now. So
// tables that have doubled since they were last looked at are analysed: as often as a store can double, and beside the calls.

#include "store/postgres/pool.h"

#include <mutex>
#include <thread>

namespace holdfast::store::postgres {

class Statistics {
 public:
  explicit Statistics(Pool& pool) : pool_(pool) {}
  ~Statistics();  // waits for what it has begun: seconds at most
  Statistics(const Statistics&) = delete;
  Statistics& operator=(const Statistics&) = delete;

  // Begins when it is time, and does not wait. Any thread; on the caller's connection it only looks. When another node does the
  // same at this moment it is left to that one.
  void check(Connection& connection);

 private:
  void analyse(const std::vector<std::string>& tables);

  Pool& pool_;
  std::mutex mutex_;
  bool running_ = false;  // guarded by mutex_
  std::jthread worker_;   // guarded by mutex_ while it is not running
};

}  // namespace holdfast::store::postgres
