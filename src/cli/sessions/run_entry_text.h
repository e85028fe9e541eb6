#pragma once

// What stands beside an entry of a run (kinds/runner/run.h) when it is shown: the task, the call with its arguments, how it
// ended.

#include "session/entry.h"

#include <string>

namespace holdfast::cli {

// One line, "" when there is nothing to say. Untrusted words in it are what the model wrote.
std::string run_entry_note(const session::Entry& entry);

}  // namespace holdfast::cli
