#pragma once

// Works research runs in the background of a server process (threads-and-research §11, §12).
//
// A run that was submitted is worked by one of a few threads; further ones wait their turn. Two processes never work one run:
// whoever finds another live worker leaves it alone. At start-up, and now and then, runs whose worker has gone are taken up
// again. Stopping leaves what is unfinished for the next process. Any thread.

#include "kinds/research/run/run.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace holdfast::tools {

class ResearchWorkers {
 public:
  // Each run searches and asks in several threads of its own; more runs at once would only slow each other down.
  static constexpr std::size_t kRunsAtOnce = 3;
  // More are left to the store, and found again by recover().
  static constexpr std::size_t kMostWaiting = 1000;

  // A worker knows no caller: each run is worked as whoever it belongs to, and which were left is the server's own question.
  struct Runs {
    std::function<Result<research::WorkOutcome>(const std::string& id, const research::WorkOptions& options)> work_as_owner;
    std::function<Result<std::vector<std::string>>()> abandoned;
  };
  explicit ResearchWorkers(Runs runs) : runs_(std::move(runs)) {}
  ~ResearchWorkers();

  // A run that is waiting or being worked here already is not taken twice; one that is being worked is looked at again when its
  // worker has ended. One that has failed or was cancelled is left alone: Research::reopen() comes first. automatic: nobody asked
  // for it just now.
  void submit(const std::string& id, bool automatic = false);
  // Takes up runs whose worker has gone. Blocks; pool threads.
  Result<void> recover();

  bool has(const std::string& id) const;  // waiting or being worked
  // Until the run is neither, or the time is over; true in the first case.
  bool wait(const std::string& id, std::chrono::milliseconds time) const;

  // No new run, no new unit.
  void ask_to_stop();
  // The same, and returns when all threads have ended.
  void stop();
  bool stopping() const { return stopping_; }

 private:
  struct Job {
    std::string id;
    bool automatic;
  };
  void run();

  const Runs runs_;
  std::atomic<bool> stopping_ = false;
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::deque<Job> waiting_;
  std::set<std::string> taken_;  // waiting or being worked
  std::set<std::string> again_;  // of those being worked: submitted once more meanwhile
  std::size_t idle_ = 0;
  std::vector<std::thread> threads_;
};

}  // namespace holdfast::tools
