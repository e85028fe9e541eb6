#pragma once

// The tools of the task runner (persistent-client §7): autonomous_filesystem_full, a run of one task, and
// autonomous_persistent_session, a run of many. Both answer {run_id, status, results[], texts[]} when the run is over.
//
// A run starts programs as the user who runs this one, so only that user may ask for one: over stdio, or as `local` with a token
// (what --no-auth lets in has none). The client
// hears of every step as progress, and also of silence, so that it does not think us dead; when it cancels the call, the run is
// cancelled. A run that the end of this process interrupts can be gone on with.

#include "kinds/runner/run.h"
#include "mcp/server/server.h"
#include "tools/session/session_operations.h"

#include <functional>
#include <stop_token>

namespace holdfast::tools {

// What the tools work with; everything outlives the server.
struct RunnerRoom {
  const session::SharedStore& stores;
  // Over what a caller may see. What they share is made at first use: it has a thread. Pool threads, several at once.
  std::function<Result<runner::Runs>(session::Store&)> runs;
  std::stop_token stopping;  // the process ends
  const Clock& clock;
};

Result<void> add_runner_tools(mcp::Server& server, const RunnerRoom& room);

// What `session` does with runs beyond what it does with every kind: how far they are, resume (where it stands), cancel, export.
void add_run_kind(SessionOperations& operations);

}  // namespace holdfast::tools
