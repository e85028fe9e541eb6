#pragma once

// Starting a program that stays: no shell, its own process group, our three descriptors and nothing else of ours.
//
// It dies with us: when the thread that started it ends (or the whole program, however), the kernel kills it. That is
// why a thread that lives as long as its children starts them. Programs that those start in turn only see their input end.

#include "base/fd.h"
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
  pid_t pid = -1;
  Fd ended;                  // readable when it has ended (a pidfd)
  Fd input, output, errors;  // our ends, non-blocking
};

// Errors: not_found, refused (the program, the directory; with the PATH that was searched), invalid (no argument, NUL
// bytes), io. A program that cannot be executed is an error here, not an exit later.
Result<StartedChild> start_child(const ChildStart& start);

// Ours, for programs that should not see all of it: HOME, LOGNAME, PATH, SHELL, TERM, USER.
std::vector<std::string> small_environment();

}  // namespace holdfast::net
