#pragma once

// A program that stays and is talked to: its three pipes and its end, on the event loop. Loop thread only.
//
// What it writes is taken at once, whether anybody wants it or not: a full pipe must never stop it. What is written to
// it is queued; the owner looks at unwritten(). Its whole process group ends with it.

#include "base/files/fd.h"
#include "base/result.h"
#include "net/run/event_loop.h"

#include <sys/types.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::net {

// Starting a program that stays: no shell, its own process group, our three descriptors and nothing else of ours.
//
// It dies with us, and so does everything in its group, however we end: a keeper process of ours leads the group and kills it
// when our end of its lifeline is closed. (A parent-death signal would reach the program alone, and not what it has started.)
// What leaves the group on purpose, as daemons do, is not followed.
struct ChildStart {
  std::vector<std::string> arguments;    // the first is the program, looked for in the PATH of its environment
  std::vector<std::string> environment;  // all of it: "NAME=value"
  std::string working_directory;         // empty: ours
};

struct StartedChild {
  pid_t pid = -1;            // of the keeper, and with it of the group
  Fd ended;                  // readable when it has ended (a pidfd); the keeper ends as the program did
  Fd input, output, errors;  // our ends, non-blocking
  Fd lifeline;               // closing it kills the group
};

// Errors: not_found, refused (the program, the directory; with the PATH that was searched), invalid (no argument, NUL
// bytes), io. A program that cannot be executed is an error here, not an exit later.
Result<StartedChild> start_child(const ChildStart& start);

// Ours, for programs that should not see all of it: HOME, LOGNAME, PATH, SHELL, TERM, USER.
std::vector<std::string> small_environment();

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
