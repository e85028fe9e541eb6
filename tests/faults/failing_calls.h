#pragma once

// Every system call by which the program changes a disk, counted, and at one of them: death, or an error.
//
// The linker puts the functions of failing_calls.cpp in front of the C library's (--wrap, see CMakeLists.txt); nothing in the
// product knows about it. Not armed, they only pass on.

#include <functional>

namespace holdfast {

enum class Fault {
  kill,        // SIGKILL in front of the call; a write is made by half first
  error,       // this one call fails
  disk_breaks  // this call and all behind it fail
};

enum class Ending {
  died,
  failed,        // the work said it failed
  succeeded,     // although a call failed
  never_reached  // fewer calls than that: the work is done, and so is the loop
};

// Does the work in a process of its own with the fault at its n-th call, n from 1. `work` returns whether it succeeded.
Ending run_with_fault(Fault fault, int error_number, int at_call, const std::function<bool()>& work);

}  // namespace holdfast
