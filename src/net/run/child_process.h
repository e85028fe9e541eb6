#pragma once

// A program that stays and is talked to: its three pipes and its end, on the event loop. Loop thread only.
//
// What it writes is taken at once, whether anybody wants it or not: a full pipe must never stop it. What is written to
// it is queued; the owner looks at unwritten(). Its whole process group ends with it.

#include "net/run/child_start.h"
#include "net/run/event_loop.h"

#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace holdfast::net {

class ChildProcess {
 public:
  // Must not destroy the object. The views are good for the call.
  struct Events {
    std::function<void(std::string_view)> on_output, on_errors;
    std::function<void()> on_output_end;         // it closed its output; it may still run
    std::function<void(int exit_code)> on_exit;  // last of all. 128 + the signal when one ended it
  };

  // Errors: those of start_child, and of the loop.
  static Result<std::unique_ptr<ChildProcess>> start(EventLoop& loop, const ChildStart& start, Events events);
  ~ChildProcess();  // kills what is left of the group, and waits for it
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  void write(std::string_view bytes);  // ignored once the input is closed or its reader gone
  std::size_t unwritten() const { return pending_.size() - written_; }
  void close_input();       // when all has been written
  void signal(int number);  // to the group
  pid_t pid() const { return child_.pid; }
  bool running() const { return running_; }

 private:
  struct Watch final : EventLoop::Watcher {
    std::function<void(std::uint32_t events)> ready;
    void on_ready(std::uint32_t events) override { ready(events); }
  };

  ChildProcess(EventLoop& loop, StartedChild child, Events events);
  Result<void> watch_all();
  bool take(Fd& pipe, Watch& watch, const std::function<void(std::string_view)>& deliver);  // false: nothing more now
  void take_output();
  void flush();
  void close_pipe(Fd& pipe, Watch& watch);
  void ended();
  int reap();

  EventLoop& loop_;
  StartedChild child_;
  Events events_;
  Watch input_watch_, output_watch_, errors_watch_, end_watch_;
  std::string pending_;  // of which written_ bytes are gone
  std::size_t written_ = 0;
  bool waits_to_write_ = false, closing_input_ = false, running_ = true;
};

}  // namespace holdfast::net
