#pragma once

// The last catch before a thread's end: a task that throws is logged, and its thread goes on.

#include "base/run/log.h"

#include <exception>
#include <string>

namespace holdfast {

template <class Callable>
void run_guarded(Callable& task, std::string_view where) {
  try {
    task();
  } catch (const std::exception& problem) {
    log(LogLevel::error, where, std::string("a task threw: ") + problem.what());
  } catch (...) {
    log(LogLevel::error, where, "a task threw something that is not an exception");
  }
}

}  // namespace holdfast
