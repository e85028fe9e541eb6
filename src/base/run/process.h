#pragma once

// What the kernel says about a process: enough to tell it from a later one with the same number.

#include "base/run/clock.h"

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace holdfast {

struct Process {
  pid_t pid = 0;
  pid_t parent = 0;
  std::int64_t ticks = 0;  // its start, since boot: with the pid, unique as long as the machine runs
  std::string start;       // the same as the kernel writes it
};

// nullopt: there is none, or it has ended and waits for its parent to notice.
std::optional<Process> process_of(pid_t pid);

// When it started on the clock, to a second; 0: unknown.
Millis started_at(const Process& process);

// Fields of /proc/<pid>/stat, counted from 1 as proc(5) does; the two in front of the state are empty. None: there is no such
// process.
std::vector<std::string> stat_fields(pid_t pid);

// How the process may be called: by the kernel, and by its first two arguments (an interpreter and its script), without folders.
std::vector<std::string> command_names(pid_t pid);

// From the parent of this process up to the first one; the nearest first.
std::vector<Process> processes_above();

// Of this machine; empty when it has none.
std::string host_name();
// Of this run of this machine; empty when the kernel does not say.
std::string boot_id();

}  // namespace holdfast
