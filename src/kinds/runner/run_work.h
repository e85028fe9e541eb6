#pragma once

// The work on a run: its tasks, one after another, from the first that has no result (run.h). Inside of the room.

#include "kinds/runner/run_journal.h"

#include <functional>
#include <optional>
#include <stop_token>

namespace holdfast::runner {

// What the work needs; everything outlives it.
struct WorkPlace {
  const RunSettings& settings;
  const ServersFile& servers_file;  // where the servers were defined when the run began
  model::Models& models;
  Executor& executor;
  RunJournal& journal;
  const std::function<void(const RunProgress&)>& on_progress;
};

// Until every task has its result, stop is requested, or nothing can be worked on: no model can be reached, the servers' file is
// gone, no server starts. That is nobody's failure: the task in question keeps no result, and the reason is returned. Errors:
// only what keeps the journal from being written.
Result<std::optional<Error>> work_through(const WorkPlace& place, RunState& state, const std::stop_token& stop);

}  // namespace holdfast::runner
