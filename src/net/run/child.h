#pragma once

// Another program, run to its end: no shell, its own process group, none of our descriptors but the three it is given.
//
// Blocking; any thread. What is left of its process group when it ends, or when we stop waiting, is killed: nothing outlives the
// call.

#include "base/result.h"

#include <chrono>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace holdfast::net {

struct ChildCall {
  std::vector<std::string> arguments;                            // the first is the program, looked for in PATH
  std::vector<std::pair<std::string, std::string>> environment;  // in addition to ours, or instead
  std::string input;                                             // its standard input; empty: nothing to read
  std::chrono::milliseconds timeout{60'000};
  std::size_t max_output = 1 << 20;  // more is too_large; of what it says on standard error only the end is kept
  std::function<bool()> go_on;       // asked a few times a second; false kills it: cancelled. May be empty.
};

struct ChildResult {
  int exit_code = 0;  // 128 + the signal when one ended it
  std::string output, errors;
};

// Errors: not_found (no such program), refused, invalid (no argument, NUL bytes), timeout, too_large, cancelled, io.
Result<ChildResult> run_child(const ChildCall& call);

}  // namespace holdfast::net
