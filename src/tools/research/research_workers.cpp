#include "tools/research/research_workers.h"

#include "base/run/log.h"

#include <algorithm>

namespace holdfast::tools {

ResearchWorkers::~ResearchWorkers() {
  stop();
}

void ResearchWorkers::submit(const std::string& id, bool automatic) {
  const std::lock_guard lock(mutex_);
  if (stopping_ || waiting_.size() >= kMostWaiting) return;
  if (!taken_.insert(id).second) {
    // Being worked, and perhaps about to end because it was cancelled a moment ago: the worker looks again when it has ended.
    if (!automatic && std::ranges::find(waiting_, id, &Job::id) == waiting_.end()) again_.insert(id);
    return;
  }
  waiting_.push_back({id, automatic});
  if (idle_ < waiting_.size() && threads_.size() < kRunsAtOnce) threads_.emplace_back([this] { run(); });
  changed_.notify_all();
}

Result<void> ResearchWorkers::recover() {
  HF_TRY(const std::vector<std::string> left, runs_.abandoned());
  for (const std::string& id : left) submit(id, true);
  return {};
}

bool ResearchWorkers::has(const std::string& id) const {
  const std::lock_guard lock(mutex_);
  return taken_.contains(id);
}

bool ResearchWorkers::wait(const std::string& id, std::chrono::milliseconds time) const {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, time, [&] { return !taken_.contains(id); });
}

void ResearchWorkers::ask_to_stop() {
  const std::lock_guard lock(mutex_);
  stopping_ = true;
  for (const Job& job : waiting_) taken_.erase(job.id);
  waiting_.clear();
  changed_.notify_all();
}

void ResearchWorkers::stop() {
  ask_to_stop();
  std::vector<std::thread> threads;
  {
    const std::lock_guard lock(mutex_);
    threads.swap(threads_);
  }
  for (std::thread& thread : threads) thread.join();
}

void ResearchWorkers::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    ++idle_;
    changed_.wait(lock, [&] { return stopping_ || !waiting_.empty(); });
    --idle_;
    if (stopping_) return;
    const Job job = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    research::WorkOptions options;
    options.stopping = [this] { return stopping(); };
    options.automatic = job.automatic;
    options.only_open = true;
    try {
      auto worked = runs_.work_as_owner(job.id, options);
      if (!worked) log(LogLevel::warn, "tools", job.id + ": " + worked.error().message);
    } catch (const std::exception& problem) {  // out of memory, a defect: the run can be resumed, the process goes on
      log(LogLevel::error, "tools", job.id + ": " + problem.what());
    }
    lock.lock();
    if (again_.erase(job.id) > 0 && !stopping_)
      waiting_.push_back({job.id, false});
    else
      taken_.erase(job.id);
    changed_.notify_all();
  }
}

}  // namespace holdfast::tools
