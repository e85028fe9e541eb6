#pragma once

// Runs: lists of tasks pushed through a model, kept as sessions of kind `run` (persistent-client §7).
//
// Everything that happens is in the session's entries as it happens: the request, each round, each call with its whole result,
// the result of each task. A run that was interrupted goes on in the middle of the first task without a result: what the model
// has said is not asked again, what it has called is not called again (task_loop.h). One process at a time works on it
// (session/worker_lease.h). One task that fails costs no other its result.
//
// Entries: `request` (data: the request), `task` (text: its words), `round` (text: what the model said; data: what it calls),
// `call` (text: the tool; written before it is called, when that must not be repeated unseen), `tool_call` (text: the whole
// result; data: name, arguments), `roots`, `result` (text: the answer; data: the result).

#include "kinds/runner/run_request.h"
#include "kinds/runner/servers/live_server.h"
#include "model/models.h"
#include "session/store.h"

#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::runner {

struct TaskResult {
  std::size_t index = 0;
  std::string id;
  std::string status = "skipped";  // ok error max_rounds truncated stuck empty timeout cancelled skipped
  std::string text, reasoning;
  std::int64_t rounds = 0, tool_calls = 0, tool_errors = 0;
  std::optional<RootsApplied> roots;
  model::Tokens usage;
  std::int64_t duration_ms = 0;
  std::optional<Error> error;
};
JsonObject result_json(const TaskResult& result);

struct RunReport {
  std::string id;
  std::string status;                 // running interrupted completed failed cancelled
  std::vector<TaskResult> results;    // one a task, in order; those without a result yet are `skipped`
  std::vector<std::string> problems;  // servers that could not be used, folders that a person should think about
  bool already_running = false;       // by another process; nothing was done here
  std::string interruption;           // why it was left, when somebody wrote it down
  std::optional<Error> fault;         // of work() alone: what kept it from being worked on
};
// {run_id, status, results[], texts[], problems[]?, interrupted?}
JsonObject report_json(const RunReport& report);

// Of any run, in whatever process it is worked on. Errors: not_found.
Result<RunReport> read_report(session::Reader& reader, std::string_view id);
// What a person should read instead of the record's own word: `interrupted` when it is not over and nobody works on it.
Result<std::string> run_status(session::Reader& reader, const session::SessionRecord& record);
// Where its servers were defined when it began. Errors: not_found.
Result<ServersFile> servers_of(session::Reader& reader, std::string_view id);
// Whoever works on it stops. Errors: not_found (also when it belongs to somebody else), conflict (it is over).
Result<void> cancel_run(session::Store& store, std::string_view id, std::string_view principal);

struct RunProgress {
  std::size_t task = 0, tasks = 0;  // from 1
  std::uint64_t step = 0;           // grows with every event of the run
  std::string message;
  const TaskResult* ended = nullptr;  // this task has its result; valid during the call
};

struct RunSettings {
  PathRules paths;
  // Read anew for each run. remembered: where they were when the run began, for one that goes on; without a path: look for it.
  std::function<Result<ServerList>(const ServersFile& remembered)> servers;
  LiveServer::Connect connect;
  LiveOptions live;
};

class Runs {
 public:
  // Everything outlives it. executor: where connections live; not the thread that calls work().
  Runs(session::Store& store, model::Models& models, Executor& executor, RunSettings settings)
      : store_(store), models_(models), executor_(executor), settings_(std::move(settings)) {}

  struct Who {
    std::string principal = "local", client, root_uri;
  };
  // Keeps it, with folders as they are seen from here; nothing starts yet. Returns its id. Errors: too_large, those of the
  // servers' definitions (an unknown name).
  Result<std::string> begin(RunRequest request, const Who& who);
  // Other answers than those it was asked with, for the tasks that have no result yet; nothing in `changes` leaves a thing as it
  // is. Errors: not_found, refused (it is over), conflict (somebody works on it), those of the servers' definitions.
  struct Changes {
    TaskLimits limits;
    std::vector<std::string> servers;
    bool stop_on_error = false;
    bool servers_file = false;  // it is to be found anew
  };
  Result<void> amend(std::string_view id, const Changes& changes);
  // Works on it until it is over, was cancelled, stop is requested, or nothing can be worked on (`fault` says why: no model to be
  // reached, servers that are not defined any more, a login that somebody has to make (kLoginRequired)). In the last two cases it
  // is `interrupted`, to be resumed. Blocks. Errors: not_found, refused (it is over), those of the store.
  Result<RunReport> work(std::string_view id, const std::function<void(const RunProgress&)>& on_progress,
                         const std::stop_token& stop);

 private:
  session::Store& store_;
  model::Models& models_;
  Executor& executor_;
  RunSettings settings_;
};

}  // namespace holdfast::runner
