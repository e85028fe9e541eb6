#pragma once

// What the kernel says about a process: enough to tell it from a later one with the same number.

#include "base/run/clock.h"

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace holdfast::transcripts {

struct Process {
  pid_t pid = 0;
  pid_t parent = 0;
  std::string start;      // ticks since boot: with the pid, unique as long as the machine runs
  Millis started_at = 0;  // the same on the clock, to a second; 0: unknown
};

// nullopt: there is none, or it has ended and waits for its parent to notice.
std::optional<Process> process_of(pid_t pid);

// How the process may be called: by the kernel, and by its first two arguments (an interpreter and its script), without folders.
std::vector<std::string> command_names(pid_t pid);

// From the parent of this process up to the first one; the nearest first.
std::vector<Process> processes_above();

}  // namespace holdfast::transcripts
