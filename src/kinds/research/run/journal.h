#pragma once

// The journal of one worker on one run: the only way anything of a run is written (threads-and-research §12).
//
// commit() writes the effects of a unit, its mark, what the work has used so far and the counters of the record in one
// transaction, which also requires the lease and that the run is neither cancelled nor deleted. Commits of one worker follow
// each other; what they wrote is in the state when they return. A refused commit sets the end of the lease, and everybody who
// waits stops.
//
// Thread-safe but for state(), which is for the phases that work alone: not while threads of gathering run.

#include "kinds/research/run/job.h"
#include "kinds/research/run/run.h"
#include "kinds/research/run/run_state.h"
#include "model/models.h"
#include "session/worker_lease.h"

#include <chrono>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::research {

// The error code of a commit that found the content of the run changed by somebody else (redaction): what was read before must
// not be written again, so the worker begins once more from the entries.
inline constexpr std::string_view kRunChanged = "RUN_CHANGED";

// How far a run is (threads-and-research §11).
inline constexpr int kMostBeforeCompleted = 99;

// floor(100·((iteration−1)+w)/max_iterations); w is the weight of the phases before this one and of the part of it that is done.
// A word that is no phase counts nothing. At most 99; that it never decreases is seen to by whoever stores it.
int percent_at(std::int64_t iteration, std::int64_t max_iterations, std::string_view phase, std::int64_t done,
               std::int64_t total);

struct Change {
  std::optional<Unit> unit;  // gets the done mark; absent: no unit ended
  bool failed = false;       // the mark only tells what happened; the unit is tried again when the run is resumed
  JsonObject mark;           // what the mark says beside the unit
  std::vector<session::NewEntry> entries;
  std::function<void(session::SessionRecord&)> adjust;  // further members of the record; may be empty
  std::int64_t done = 0, total = 1;                     // of the phase, for the percentage
  std::string event, message;                           // Progress
};

// One call of a model or a provider, for the audit (§13). Keys never come here.
struct AuditEvent {
  std::string event, provider, model, error;
  model::Tokens tokens;
  std::chrono::milliseconds duration{0};
  std::string text;  // prompt and answer; written only when the verbosity is full
};

class Journal {
 public:
  Journal(session::Store& store, session::WorkerLease& lease, const session::SessionRecord& record, RunState state,
          bool full_audit, std::function<void(const Progress&)> on_progress);

  const Job& job() const { return job_; }
  session::WorkerLease& lease() { return lease_; }
  const RunState& state() const { return state_; }
  template <class Function>
  auto read(Function&& function) const {
    const std::lock_guard lock(mutex_);
    return function(state_);
  }

  // The phase the next commits belong to; commits phase_start.
  Result<void> enter(std::int64_t iteration, std::string_view phase);
  std::int64_t iteration() const { return iteration_; }
  const std::string& phase() const { return phase_; }

  // Composes the change from the state of the moment and writes it. Errors: cancelled (lease().end() says why), conflict with
  // kRunChanged, those of the store.
  Result<void> commit(const std::function<Change(const RunState&)>& compose);
  Result<void> commit(Change change);
  // The last words of a worker: changes the record and gives the lease back.
  Result<session::SessionRecord> close(const std::function<void(session::SessionRecord&, Millis now)>& adjust);
  // Whether a commit failed because of the store itself.
  bool store_failed() const { return store_failed_; }

  // What was used goes into the record with the next commit.
  void count_search();
  void count_model_call(const model::Tokens& tokens);
  void audit(AuditEvent event);
  Budget budget() const;
  // A budget kept the run from doing something: it will be partial. The first reason stands.
  void note_cut(std::string_view stop_reason);
  std::string cut() const;
  // The program did a step in the model's place; `why` is what was wrong with the model's answer. A warning, and part of the
  // report.
  void note_stand_in(std::string_view step, std::string_view why);
  std::vector<std::string> stand_ins() const;  // steps, in the order they were first noted
  void warn(std::string warning);

 private:
  Result<std::vector<session::Entry>> write(session::Transaction& transaction, const Change& change,
                                            const std::vector<session::NewEntry>& audits, int percent);
  std::vector<session::NewEntry> take_audits();
  Result<void> refresh();
  void put_usage(JsonObject& data) const;
  Usage used() const;

  session::Store& store_;
  session::WorkerLease& lease_;
  const std::string session_;
  const bool full_audit_;
  const std::function<void(const Progress&)> on_progress_;
  const std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  const Job job_;
  const std::int64_t attempt_;

  mutable std::mutex mutex_;  // a commit, the state, and what follows
  RunState state_;
  std::int64_t known_rev_ = 0;
  std::int64_t iteration_ = 1;      // changed under both locks
  std::string phase_ = "planning";  // likewise
  int percent_ = 0;
  bool store_failed_ = false;

  mutable std::mutex usage_mutex_;  // counted while others commit
  Usage usage_;                     // active_ms: of earlier workers
  std::string stop_reason_;
  std::vector<std::string> stand_ins_;
  std::vector<session::NewEntry> audits_;
  std::vector<std::string> warnings_;
};

}  // namespace holdfast::research
