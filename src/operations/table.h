#pragma once

// The table of everything that can be done.

#include "operations/operation.h"

namespace holdfast::operations {

// All of them, in the order in which people read about them.
std::span<const Operation> all();
// nullptr: there is none of that name.
const Operation* find_operation(std::string_view name);

// The kind's own operation that ends in this word, else that of every kind: "export" of a thread. nullptr: there is none.
const Operation* find_action(std::string_view action, std::string_view kind);

// The families; each is in the file of its name.
std::span<const Operation> telling_operations();     // transcripts/telling.cpp
std::span<const Operation> checking_operations();    // transcripts/checking.cpp
std::span<const Operation> exporting_operations();   // transcripts/exporting.cpp
std::span<const Operation> finding_operations();     // transcripts/finding.cpp
std::span<const Operation> importing_operations();   // transcripts/importing.cpp
std::span<const Operation> guard_operations();       // guard/guard.cpp
std::span<const Operation> copying_operations();     // transcripts/copying.cpp
std::span<const Operation> removing_operations();    // transcripts/removing.cpp
std::span<const Operation> listing_operations();     // sessions/listing.cpp
std::span<const Operation> reading_operations();     // sessions/reading.cpp
std::span<const Operation> changing_operations();    // sessions/changing.cpp
std::span<const Operation> removal_operations();     // sessions/removing.cpp
std::span<const Operation> care_operations();        // sessions/care.cpp
std::span<const Operation> note_operations();        // sessions/note.cpp
std::span<const Operation> thinking_operations();    // reasoning/thinking.cpp
std::span<const Operation> continuing_operations();  // reasoning/continuing.cpp
std::span<const Operation> line_operations();        // reasoning/lines.cpp
std::span<const Operation> talking_operations();     // research/talking.cpp
std::span<const Operation> thread_operations();      // research/talking.cpp: of one thread
std::span<const Operation> run_operations();         // research/runs.cpp
std::span<const Operation> operations_of_runs();     // research/runs.cpp: of one run
std::span<const Operation> proposing_operations();   // documents/proposing.cpp
std::span<const Operation> reviewing_operations();   // documents/reviewing.cpp
std::span<const Operation> task_operations();        // runner/runs.cpp
std::span<const Operation> store_operations();       // store/store_care.cpp
std::span<const Operation> token_operations();       // store/tokens.cpp

}  // namespace holdfast::operations
