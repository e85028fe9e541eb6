#pragma once

// Starting a program that stays: no shell, its own process group, our three descriptors and nothing else of ours.
//
// It dies with us, and so does everything in its group, however we end: a keeper process of ours leads the group and kills it
// when our end of its lifeline is closed. (A parent-death signal would reach the program alone, and not what it has started.)
// What leaves the group on purpose, as daemons do, is not followed.

#include "base/files/fd.h"
#include "base/result.h"

#include <sys/types.h>

#include <string>
#include <vector>

namespace holdfast::net {

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

}  // namespace holdfast::net
