#pragma once

// The table of everything that can be done.

#include "operations/operation.h"

namespace holdfast::operations {

// All of them, in the order in which people read about them.
std::span<const Operation> all();
// nullptr: there is none of that name.
const Operation* find_operation(std::string_view name);

// The families; each is in the file of its name.
std::span<const Operation> telling_operations();    // transcripts/telling.cpp
std::span<const Operation> checking_operations();   // transcripts/checking.cpp
std::span<const Operation> exporting_operations();  // transcripts/exporting.cpp
std::span<const Operation> finding_operations();    // transcripts/finding.cpp
std::span<const Operation> importing_operations();  // transcripts/importing.cpp
std::span<const Operation> guard_operations();      // guard/guard.cpp
std::span<const Operation> copying_operations();    // transcripts/copying.cpp
std::span<const Operation> removing_operations();   // transcripts/removing.cpp
std::span<const Operation> changing_operations();   // sessions/changing.cpp
std::span<const Operation> note_operations();       // sessions/note.cpp

}  // namespace holdfast::operations
