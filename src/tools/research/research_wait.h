#pragma once

// A call that waits for a run (threads-and-research §11): as a task where the client knows tasks, with progress where it asked
// for progress, else for a while. The run goes on whatever becomes of the call.

#include "tools/research/research_tool.h"

namespace holdfast::tools {

// In _meta of a task: which run it is.
inline constexpr std::string_view kTaskRun = "holdfast/research_id";

// The status, and the report when it is completed; a run that failed is the answer's failure.
Result<ResearchAnswer> wait_for_run(ResearchCall& call, const std::string& id);

// How the server answers for tasks whose process has ended: from the run itself.
mcp::Tasks::Survivors surviving_runs(const ResearchRooms& rooms);

}  // namespace holdfast::tools
