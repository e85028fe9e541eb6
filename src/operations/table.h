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
std::span<const Operation> copying_operations();    // transcripts/copying.cpp
std::span<const Operation> removing_operations();   // transcripts/removing.cpp
std::span<const Operation> changing_operations();   // sessions/changing.cpp
std::span<const Operation> note_operations();       // sessions/note.cpp
std::span<const Operation> proposing_operations();  // documents/proposing.cpp
std::span<const Operation> reviewing_operations();  // documents/reviewing.cpp
std::span<const Operation> run_operations();        // runner/runs.cpp
std::span<const Operation> store_operations();      // store/store_care.cpp
std::span<const Operation> token_operations();      // store/tokens.cpp

}  // namespace holdfast::operations
