#pragma once

// A run as a document: each task with its answer, or why there is none.

#include "kinds/runner/run.h"
#include "reading/entry_reading.h"

#include <string>
#include <string_view>

namespace holdfast::runner {

// "ok", "2 rounds, 3 calls (1 failed), 1.4 s"
std::string effort_text(const TaskResult& result);

// format: markdown or json (as tools answer). Errors: invalid (another format), not_found.
Result<std::string> export_report(session::Reader& reader, std::string_view id, std::string_view format);

// What a run wrote down, as a person reads it.

// For reading::EntryKinds.
bool turn_of_entry(const session::Entry& entry, const reading::ReadLimits& limits, reading::Turn& turn);

}  // namespace holdfast::runner
