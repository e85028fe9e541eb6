#pragma once

// One call that works on a run until it is over: progress to the client, cancellation and the end of the process to the run.

#include "mcp/server/call.h"
#include "tools/runner/runner_tools.h"

#include <string>

namespace holdfast::tools {

// In _meta of a task: which run it is.
inline constexpr std::string_view kTaskOfRun = "holdfast/run_id";

// For people and for clients.
std::string how_to_go_on(std::string_view run);

// Over the store as the caller sees it. Blocks the pool thread until the run is over, cancelled or interrupted. Errors: those of
// Runs::work, of the tasks extension.
Result<runner::RunReport> work_on_run(mcp::Call& call, session::Store& store, runner::Runs& runs, const std::string& id,
                                      const std::stop_token& stopping);

}  // namespace holdfast::tools
