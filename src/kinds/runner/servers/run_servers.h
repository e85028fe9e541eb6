#pragma once

// The servers of one run, brought to its folders together before each task.
//
// They start at the same time, each on a thread of its own. One that hangs must not cost the tasks their time: as soon as another
// one is ready it is waited for only a little, and never beyond the task's deadline; it goes on starting meanwhile and is there
// for a later task. Only somebody who is logging in is waited for longer. One that fails several times in a row is left alone.
// One that has fallen silent (live_server.h) is passed over at once, and used again as soon as it answers.
//
// One thread uses it; the servers may be called by any.

#include "kinds/runner/servers/live_server.h"

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace holdfast::runner {

class RunServers {
 public:
  RunServers(Executor& executor, const std::vector<ServerDefinition>& chosen, Roots& roots, const LiveServer::Connect& connect,
             const LiveOptions& options);
  ~RunServers();  // all of them have ended; what is still starting is given up
  RunServers(const RunServers&) = delete;
  RunServers& operator=(const RunServers&) = delete;

  struct Brought {
    struct One {
      LiveServer* server = nullptr;
      RootsApplied applied;
    };
    std::vector<One> usable;
    std::vector<std::string> problems;  // with those that are not, and with how some take folders
    std::optional<Error> error;         // why there is none although some are defined
    bool silent = false;                // then: one of them does not answer; to wait for it in every task would cost that again
    std::optional<Error> login;         // of one that wants somebody to log in (connect_servers.h), when nobody can be asked
  };
  // Brings all of them to the present roots, or as many as can be had until then.
  Brought bring(std::chrono::steady_clock::time_point deadline, const std::stop_token& stop);

  bool several() const { return servers_.size() > 1; }
  bool any_was_usable() const { return any_was_usable_; }

 private:
  struct Server {
    std::unique_ptr<LiveServer> live;
    std::jthread worker;
    // What follows is guarded by mutex_.
    bool busy = false;
    bool late = false;  // it took too long: not waited for again until it succeeds
    int failures = 0;   // one after another
    Result<RootsApplied> applied = fail(ErrorKind::unavailable, "it was not started yet");
  };

  void begin(Server& server);
  void wait(std::chrono::steady_clock::time_point deadline, const std::stop_token& stop);
  bool is_usable(const Server& server) const { return !server.busy && server.applied && !server.live->passed_over(); }
  void wait_for_a_sign(std::chrono::steady_clock::duration patience, const std::stop_token& stop);

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::stop_source given_up_;
  std::vector<std::unique_ptr<Server>> servers_;
  bool any_was_usable_ = false;
};

}  // namespace holdfast::runner
