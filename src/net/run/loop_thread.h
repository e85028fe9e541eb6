#pragma once

// An event loop with a thread of its own, for programs and tests whose other threads wait.

#include "net/run/event_loop.h"

#include <thread>

namespace holdfast::net {

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
