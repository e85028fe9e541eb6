#pragma once

// Pending changes as a person reads them, and as programs do.

#include "cli/transcripts/transcript_work.h"
#include "kinds/documents/workspace/workspace.h"

#include <string>
#include <vector>

namespace holdfast::cli {

Result<void> list_changes(Context& context);  // also what review alone does where there is no terminal
// The workspace's hints name tools; a person has commands.
Error in_commands(Error error);
template <auto words>
Result<void> reviewed(Context& context) {
  auto done = reported<words>(context);
  return done ? done : fail(in_commands(std::move(done).error()));
}

// id, place, who, when, and the beginning of both sides; one line a change.
std::string changes_table(const std::vector<documents::PendingChange>& changes, Millis now, const Terminal& terminal);
// A head line, then the change between what stands around it: red and green on a terminal, [-old-]{+new+} elsewhere.
std::string change_text(const documents::PendingChange& change, Millis now, const Terminal& terminal);
// What was decided: the facts of the operation.
std::string report_text(const JsonObject& facts, bool accepted, const Terminal& terminal);

}  // namespace holdfast::cli
