#pragma once

// Is a session in use, and by whom (transcript-archive §8.7, on-disk §1 sessions/<pid>.json).

#include "kinds/transcripts/home/inventory.h"

#include <sys/types.h>

#include <chrono>

namespace holdfast::transcripts {

// A transcript written this recently counts as in use even when nobody is registered. A time further in the future is a wrong
// clock, not a writer.
inline constexpr Millis kRecentlyWritten = 10'000;

struct LiveClient {
  pid_t pid = 0;
  std::string session_id;
  std::string cwd;
  std::string start;  // of the process, as the kernel counts it
  Millis updated_at = 0;
};

// Registered clients whose process is alive with the registered start time; entries of dead processes are not listed.
Result<std::vector<LiveClient>> live_clients(const Home& home);

struct RunningState {
  std::vector<LiveClient> clients;  // of this session
  Millis written = 0;               // the transcript; 0: it is not there
  bool recently_written = false;
  bool running() const { return recently_written || !clients.empty(); }
  std::string_view word() const { return running() ? "running" : "idle"; }  // the status (design 8.6) of one on disk
};

// Who uses which session, from one reading of the registered clients: all that says "running", or refuses because of it, asks
// here.
class Activity {
 public:
  // Codex registers nobody: its sessions are known by the time they were written alone.
  static Result<Activity> read(const Home& claude, Millis now);
  // `written`: the time of its transcript.
  RunningState of(std::string_view session_id, Millis written) const;

 private:
  Activity(std::vector<LiveClient> clients, Millis now) : clients_(std::move(clients)), now_(now) {}
  std::vector<LiveClient> clients_;
  Millis now_;
};
// Of one session, whose transcript lies at this path below its home.
Result<RunningState> running_state(const Home& home, std::string_view session_id, const std::string& path, Millis now);

// SIGTERM, wait, SIGKILL; before each signal pid, start time and command are compared again. Never this process or its ancestors.
// A process that has gone already is a success. Errors: refused (an ancestor, another command), timeout (it would not die),
// unavailable (this kernel has no pidfd).
inline constexpr std::chrono::milliseconds kPatience{5'000};  // after a signal; the client saves its work on SIGTERM
// `patience` is for SIGTERM alone.
Result<void> terminate(const LiveClient& client, std::chrono::milliseconds patience = kPatience);

// Of the processes above this one, the nearest that is registered; nullopt when there is none.
Result<std::optional<LiveClient>> client_above(const Home& home);

}  // namespace holdfast::transcripts
