#include "base/run/pool.h"

#include "base/run/run_guarded.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <vector>

namespace holdfast {

struct Pool::State {
  struct Queued {
    Task task;
    std::chrono::steady_clock::time_point since;
  };

  State(std::size_t max, std::chrono::milliseconds idle_for) : max_threads(std::max<std::size_t>(max, 1)), idle_time(idle_for) {}

  const std::size_t max_threads;
  const std::chrono::milliseconds idle_time;
  std::mutex closing;  // held by close() throughout, so that a second caller waits, too
  std::mutex mutex;    // everything below
  std::condition_variable work_or_close;
  std::deque<Queued> tasks;
  std::unordered_map<std::thread::id, std::thread> threads;
  std::vector<std::thread> leaving;  // past their last use of the state; to be joined
  std::size_t idle = 0;
  bool closed = false;
  Histogram waits{kDurationBounds};  // without the lock

  // Locked.
  void start_thread_if_needed() {
    if (tasks.size() <= idle || threads.size() >= max_threads) return;
    try {
      std::thread thread([this] { work(); });
      const std::thread::id id = thread.get_id();
      threads.emplace(id, std::move(thread));
    } catch (const std::exception& problem) {
      // The task stays queued: a running thread takes it. Without one, submit() does the work itself.
      log(LogLevel::error, "base", std::string("cannot start a thread: ") + problem.what());
    }
  }

  // Not locked: neither is what the task held when it is released.
  void run(Queued next) {
    waits.observe(std::chrono::steady_clock::now() - next.since);
    run_guarded(next.task, "base");
  }

  void work() {
    std::unique_lock lock(mutex);
    for (;;) {
      if (!tasks.empty()) {
        Queued next = std::move(tasks.front());
        tasks.pop_front();
        lock.unlock();
        run(std::move(next));
        lock.lock();
        continue;
      }
      if (closed) return;
      ++idle;
      const bool woken = work_or_close.wait_for(lock, idle_time, [this] { return closed || !tasks.empty(); });
      --idle;
      if (!woken) break;
    }
    auto self = threads.extract(std::this_thread::get_id());
    leaving.push_back(std::move(self.mapped()));
  }
};

Pool::Pool(std::size_t max_threads, std::chrono::milliseconds idle_time)
    : state_(std::make_shared<State>(max_threads, idle_time)) {}

Pool::~Pool() {
  close();
}

void Pool::submit(Task task) {
  std::vector<std::thread> finished;
  std::deque<State::Queued> stranded;
  {
    const std::lock_guard lock(state_->mutex);
    if (state_->closed) return;
    state_->tasks.push_back({std::move(task), std::chrono::steady_clock::now()});
    state_->start_thread_if_needed();
    finished.swap(state_->leaving);
    if (state_->threads.empty()) stranded.swap(state_->tasks);
  }
  state_->work_or_close.notify_one();
  for (std::thread& thread : finished) thread.join();
  for (State::Queued& next : stranded) state_->run(std::move(next));
}

Pool::Counts Pool::counts() const {
  const std::lock_guard lock(state_->mutex);
  return {state_->threads.size(), state_->idle, state_->tasks.size()};
}

const Histogram& Pool::waits() const {
  return state_->waits;
}

void Pool::close() {
  const std::lock_guard one_at_a_time(state_->closing);
  std::vector<std::thread> finished;
  {
    const std::lock_guard lock(state_->mutex);
    state_->closed = true;
    finished.swap(state_->leaving);
    for (auto& [id, thread] : state_->threads) finished.push_back(std::move(thread));
    state_->threads.clear();
  }
  state_->work_or_close.notify_all();
  for (std::thread& thread : finished) thread.join();
  // Left over only when no thread could be started.
  while (!state_->tasks.empty()) {
    State::Queued next = std::move(state_->tasks.front());
    state_->tasks.pop_front();
    state_->run(std::move(next));
  }
}

}  // namespace holdfast
