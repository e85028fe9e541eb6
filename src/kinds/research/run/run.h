#pragma once

// A research run: start, work, resume, cancel, status, report (threads-and-research §4, §10–12).
//
// A run is a session of kind `research`: status started, in_progress, completed, failed, cancelled. Its work is a journal of
// units keyed (iteration, phase, unit); the effects of a unit and its "done" mark are one transaction, which also requires the
// worker's lease
// (`research/<id>`, with its epoch) and that the record is neither deleted nor cancelled. So a crash repeats unfinished units
// only, and a worker that was thought dead can change nothing.
//
// Entries (JSON in `data`, prose in `text`): type "plan", "source" (numbered: its citation number), "page" (a source's text,
// fetched later), "finding", "gap", "contradiction", "report", "unit" (the done mark, and the failed one), "audit". record.title,
// opening = start of the query; data holds query, limits, counters for lists (source_count, progress_percent, phase, iteration,
// partial, stop_reason, error, attempts, …).
//
// Starting makes the record and returns; somebody must then `work` it: the foreground of `holdfast research start`, or the worker
// threads of a server (tools/research/research_workers.h). Everything here blocks and is thread-safe.

#include "base/json/json.h"
#include "kinds/research/sources/fetch.h"
#include "kinds/research/sources/search_provider.h"
#include "model/models.h"
#include "session/store.h"

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::research {

// One table for schema, code and documentation (lesson 12).
struct LimitInfo {
  std::string_view name;
  std::int64_t lowest, highest, fallback;
  std::string_view help;
};
inline constexpr std::int64_t kNoUpperLimit = 1'000'000'000;
inline constexpr LimitInfo kLimits[] = {
    {"max_iterations", 1, 10, 3, "rounds of gathering and writing"},
    {"max_sub_queries", 1, 20, 5, "questions per round; extra ones are dropped"},
    {"max_sources_per_query", 1, 50, 5, "sources of one question"},
    {"max_concurrent", 1, 10, 3, "questions worked on at once"},
    {"timeout_per_operation", 1, 1800, 120, "seconds for one search, fetch or model call"},
    {"task_timeout", 10, 86'400, 600, "seconds of work; at 80 % no more gathering"},
    {"max_tokens_total", 0, kNoUpperLimit, 0, "model tokens, 0 = no limit; a fifth is kept for the report"},
    {"max_llm_calls", 0, kNoUpperLimit, 0, "model calls, 0 = no limit"},
    {"max_search_calls", 0, kNoUpperLimit, 0, "searches, 0 = no limit"},
};
inline constexpr std::size_t kMaxQueryCharacters = 200'000;

struct StartRequest {
  std::string query;
  std::string title;
  JsonObject limits;  // names of kLimits; absent: the fallback
  bool follow_links = true;
  std::string mode = "general";     // general, academic, technical
  std::string clarify = "infer";    // ask, infer, off
  JsonObject clarifications;        // question -> answer, when `ask` was answered before the start
  std::vector<std::string> search;  // provider names; empty: all there are
  std::string provider;             // model endpoint; empty: by phase
  std::vector<std::string> corpus;  // folders for this run beside the configured ones (absolute); kept with it for resuming
  std::string principal = "local", client, root_uri, root_name, project;
  std::vector<std::string> projects;  // roots that may be looked into; empty: all. Kept with the run
};

// All violations of ranges, lengths and words at once: VALIDATION_ERROR.
Result<void> check_start(const StartRequest& request);
// Up to three questions worth asking before the start; by the model, or none without one.
Result<std::vector<std::string>> clarifying_questions(model::Models& models, const StartRequest& request);

struct Progress {
  int percent = 0;
  std::string phase;
  std::int64_t iteration = 0;
  std::string event;    // "source_added", "phase_start", …
  std::string message;  // for a person: "question 2 of 5: retries in the scheduler"
};

struct WorkOptions {
  std::function<void(const Progress&)> on_progress;  // called from threads of the run, one at a time; may be empty
  // The program ends: no new unit, abort what can be, release the lease; the run stays in_progress (stop_reason shutdown). May be
  // empty.
  std::function<bool()> stopping;
  bool automatic = false;  // resumed at start-up: counts against kAutomaticAttempts without progress, then failed CRASH_LOOP
  // A run that has failed or was cancelled is left as it is. For workers with a queue: a run that is cancelled while it waits
  // there must not begin; who resumes it calls reopen() first.
  bool only_open = false;
};
inline constexpr int kAutomaticAttempts = 3;
inline constexpr std::chrono::seconds kCancelWithin{5};

struct WorkOutcome {
  session::SessionRecord record;
  bool already_running = false;  // another live worker has it; nothing was done
  bool stopped = false;          // by `stopping`
};

// What a run works with; outlives it. `providers` is asked when a run begins to be worked, because a run may bring folders of its
// own.
struct Tools {
  session::Store& store;
  model::Models& models;
  std::function<Result<Providers>(const session::SessionRecord& run, const std::vector<std::string>& corpus)> providers;
  Fetcher& fetcher;
  std::string audit_verbosity = "minimal";  // or full
  Millis stale_after = 300'000;
  const Clock* clock = nullptr;       // for ages in status(); absent: the system's
  Millis lease = session::kLeaseTtl;  // how long a worker that is not heard of any more keeps a run
};

class Research {
 public:
  explicit Research(Tools tools) : tools_(std::move(tools)) {}

  // Durable when it returns. Errors: VALIDATION_ERROR.
  Result<session::SessionRecord> start(const StartRequest& request);

  // Works until the run is completed, failed, cancelled, deleted, or `stopping`. Also resumes: failed and cancelled runs begin
  // again where they were (row 6). Errors: ALREADY_COMPLETED, DELETED, not_found, those of the store.
  Result<WorkOutcome> work(std::string_view id, const WorkOptions& options);

  // Row 6 for a run that a worker is to take up later: durable when it returns, so that a crash before the worker begins leaves a
  // run that recovery finds. A worker that still winds down is waited for, at most kCancelWithin. Errors: ALREADY_COMPLETED,
  // DELETED, NOT_FOUND, conflict (STORAGE_BUSY) when that worker does not let go.
  struct Reopened {
    session::SessionRecord record;
    bool already_running = false;  // a live worker has it
  };
  Result<Reopened> reopen(std::string_view principal, std::string_view id);

  // Durable at once; a worker in whatever process ends within kCancelWithin. A run that is over already: changed false.
  struct Cancelled {
    session::SessionRecord record;
    bool changed = false;
  };
  Result<Cancelled> cancel(std::string_view principal, std::string_view id);

  // Members of §11; a pure read.
  Result<JsonObject> status(std::string_view principal, std::string_view id);
  // Members of the report reply of §10; `report` is markdown. REPORT_NOT_READY with the status in the message.
  Result<JsonObject> report(std::string_view principal, std::string_view id);

  // Runs that were left started or in_progress by a worker that is gone; for recovery at start-up.
  Result<std::vector<std::string>> abandoned();

 private:
  Tools tools_;
};

// Fields an item of a list has beyond those of every kind: source_count, progress_percent.
void add_item_fields(const session::SessionRecord& record, JsonObject& item);

}  // namespace holdfast::research
