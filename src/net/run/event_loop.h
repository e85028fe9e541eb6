#pragma once

// The thread that owns the sockets: epoll, posted tasks and timers.
//
// One thread calls run() and becomes the loop thread; every watcher, task and timer runs there.
// post() and stop() may be called from any thread, everything else from the loop thread (or before
// run() has been called). An exception that leaves a watcher or a task is logged and swallowed: one
// bad call must not end the program.

#include "base/files/fd.h"
#include "base/result.h"
#include "base/run/executor.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <span>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

struct epoll_event;

namespace holdfast::net {

class EventLoop final : public Executor {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  // Something with a descriptor. Not owned; unwatch() before it dies.
  class Watcher {
   public:
    virtual void on_ready(std::uint32_t events) = 0;  // EPOLLIN and so on

   protected:
    ~Watcher() = default;
  };

  EventLoop();
  ~EventLoop() override;

  // Whether the descriptors it needs could be had; a loop without them only fails to watch.
  Result<void> usable() const;

  void post(Task task) override;
  TimerId after(std::chrono::milliseconds delay, Task task) override;
  void cancel(TimerId timer) override;

  Result<void> watch(int fd, std::uint32_t events, Watcher* watcher);
  void change(int fd, std::uint32_t events, Watcher* watcher);
  // After this the watcher is not called again, not even for what was already reported by the kernel.
  void unwatch(int fd, Watcher* watcher);

  // Runs each time before the loop goes to sleep, after all events and tasks: a place to send what
  // they have left behind in one go.
  void before_wait(std::function<void()> hook);

  void run();   // until stop(); what was posted before it returns still runs
  void stop();  // any thread

  TimePoint now() const { return now_; }  // of the last wake-up: good enough for time-outs of seconds
  bool on_loop_thread() const;

 private:
  bool run_posted();  // false when nothing was there
  void run_timers();
  int wait_budget() const;  // milliseconds for epoll_wait
  void wake();

  Fd epoll_, wakeup_;
  int setup_error_ = 0;
  std::atomic<std::thread::id> thread_;
  std::atomic<bool> stopping_ = false;
  TimePoint now_ = std::chrono::steady_clock::now();
  std::function<void()> before_wait_;
  std::span<epoll_event> batch_;  // events reported and not yet delivered

  mutable std::mutex mutex_;
  std::vector<Task> posted_;  // guarded by mutex_
  std::vector<Task> running_;

  std::map<std::pair<TimePoint, TimerId>, Task> timers_;
  std::unordered_map<TimerId, TimePoint> timer_times_;
  TimerId last_timer_ = 0;
};

// An event loop with a thread of its own, for programs and tests whose other threads wait.
class LoopThread {
 public:
  LoopThread() : thread_([this] { loop_.run(); }) {}
  ~LoopThread() {
    loop_.stop();
    thread_.join();
  }
  LoopThread(const LoopThread&) = delete;
  LoopThread& operator=(const LoopThread&) = delete;

  EventLoop& loop() { return loop_; }

 private:
  EventLoop loop_;
  std::thread thread_;
};

}  // namespace holdfast::net
