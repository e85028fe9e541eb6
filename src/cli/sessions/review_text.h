#pragma once

// Pending changes as a person reads them, and as programs do.

#include "cli/program/context.h"
#include "cli/program/terminal.h"
#include "kinds/documents/workspace/workspace.h"

#include <string>
#include <vector>

namespace holdfast::cli {

Result<void> list_changes(Context& context);  // also what review alone does where there is no terminal

// id, place, who, when, and the beginning of both sides; one line a change.
std::string changes_table(const std::vector<documents::PendingChange>& changes, Millis now, const Terminal& terminal);
// A head line, then the change between what stands around it: red and green on a terminal, [-old-]{+new+} elsewhere.
std::string change_text(const documents::PendingChange& change, Millis now, const Terminal& terminal);
JsonObject change_json(const documents::PendingChange& change);

std::string report_text(const documents::VerdictReport& report, bool accepted, const Terminal& terminal);
JsonObject report_json(const documents::VerdictReport& report);

}  // namespace holdfast::cli
