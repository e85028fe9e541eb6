#pragma once

// What a run writes down, and how it reads it again (run.h).

#include "kinds/runner/run.h"
#include "kinds/runner/task_loop.h"
#include "session/worker_lease.h"

#include <mutex>

namespace holdfast::runner {

// The request and the results so far.
struct RunState {
  RunRequest request;
  std::vector<TaskResult> results;
  std::vector<std::string> problems;
};
Result<RunState> read_run(session::Reader& reader, std::string_view id);

// Members of a run's record.
inline constexpr std::string_view kTaskCount = "tasks", kFailedCount = "tasks_failed", kInterruption = "interrupted",
                                  kServersFile = "servers_file", kServersOfProject = "servers_of_project";

// Writes for the one worker that holds the lease. Thread-safe: calls that run beside each other report here.
class RunJournal {
 public:
  RunJournal(session::Store& store, std::string id, const session::WorkerLease& lease)
      : store_(store), id_(std::move(id)), lease_(lease) {}

  Result<void> task_begins(const RunTask& task, std::size_t index);
  Result<void> roots_applied(std::size_t index, std::string_view server, const RootsApplied& applied);
  Result<void> replied(std::size_t index, std::int64_t round, const model::Reply& reply);
  // Of a call that must not be repeated unseen, before it is made.
  Result<void> call_begins(std::size_t index, CallPlace place, const model::ToolCall& call);
  Result<void> called(std::size_t index, CallPlace place, const model::ToolCall& call, const ToolOutcome& outcome);
  // What is written of a task that has no result yet. Errors: corrupt, when something of it cannot be read any more.
  Result<Earlier> earlier(std::size_t index) const;
  Result<void> task_ends(const TaskResult& result);
  // Of a run that was cancelled meanwhile nothing more is written but this: how far its last task came.
  bool is_cancelled() const;
  Result<void> task_is_cancelled(const TaskResult& result);
  Result<void> problem(std::string_view what);
  // The last word, with which the lease ends.
  Result<void> close(std::string_view status);
  // The lease ends, the run does not: whoever resumes it finds why it was left.
  Result<void> leave(std::string_view reason);

 private:
  Result<void> append(session::NewEntry entry);
  session::Store& store_;
  const std::string id_;
  const session::WorkerLease& lease_;
};

}  // namespace holdfast::runner
