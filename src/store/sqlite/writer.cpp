// The story of a write. In come functions that want to change the store, from any number of threads; out comes, for each, its own
// outcome, and only after what it changed is on the disk. Syncing the disk is what costs, so writes share it: the first thread
// that finds nobody writing leads, and takes everybody along who has queued up by then.
//
// A round goes: look whether the files are still ours (a removed log would swallow the commit), begin, run each work in a
// savepoint of its own (so that the failure of one takes back its own rows and nothing else), commit once. Then, and in this
// order: erased bytes leave the files, other processes are told, the callers are answered, the next leader is named.
//
// What would go wrong otherwise: an answer before the commit could be lost with the power; a shared rollback would fail works
// that had done nothing wrong, so a round that breaks is run again one by one; and a refused commit that is still whole in the
// log could come back after a crash, so another one is written over it at once.

#include "store/sqlite/writer.h"

#include "base/ids.h"
#include "base/run/log.h"
#include "store/sqlite/rows/tables.h"
#include "store/tables/event_hub.h"
#include "store/tables/transaction.h"

#include <fmt/format.h>

#include <array>
#include <exception>

namespace holdfast::store {

OpenFiles::Place OpenFiles::place(std::string_view suffix) const {
  struct stat status{};
  if (::stat((path_ + std::string(suffix)).c_str(), &status) != 0) return {};
  return {status.st_dev, status.st_ino};
}

void OpenFiles::remember() {
  for (std::size_t i = 0; i < kSuffixes.size(); ++i) places_[i] = place(kSuffixes[i]);
}

OpenFiles::Lost OpenFiles::lost() const {
  if (place(kSuffixes[0]) != places_[0]) return Lost::store;
  for (std::size_t i = 1; i < kSuffixes.size(); ++i) {
    if (place(kSuffixes[i]) != places_[i]) return Lost::log;
  }
  return Lost::nothing;
}

Writer::Writer(std::unique_ptr<Db> db, std::string settings, const Context& context,
               std::function<void(const Committed&)> on_commit, std::function<void()> on_reopen)
    : db_(std::move(db)),
      scrubber_(*db_, context.path),
      settings_(std::move(settings)),
      context_(context),
      on_commit_(std::move(on_commit)),
      on_reopen_(std::move(on_reopen)),
      files_(context.path) {
  files_.remember();
}

Result<void> Writer::run(const Work& work, bool& met_damage) {
  Request request;
  request.work = &work;
  std::unique_lock lock(mutex_);
  waiting_.push_back(&request);
  if (leading_) {
    request.changed.wait(lock, [&] { return request.done || request.leads; });
  }
  if (!request.done) {
    leading_ = true;
    lead(lock);
  }
  met_damage = request.met_damage;
  return std::move(request.outcome);
}

// The caller's own request is among the first that wait, so one round answers it.
void Writer::lead(std::unique_lock<std::mutex>& lock) {
  std::array<Request*, kMaxBatch> room;
  std::size_t size = 0;
  while (!waiting_.empty() && size < kMaxBatch) {
    room[size++] = waiting_.front();
    waiting_.pop_front();
  }
  const std::span<Request* const> batch = std::span(room).first(size);
  lock.unlock();
  commit_round(batch);
  lock.lock();
  for (Request* each : batch) {
    each->done = true;
    each->changed.notify_one();  // under the lock: afterwards the request may be gone
  }
  leading_ = !waiting_.empty();
  if (leading_) {
    waiting_.front()->leads = true;
    waiting_.front()->changed.notify_one();
  }
}

void Writer::commit_round(std::span<Request* const> batch) {
  const auto began = std::chrono::steady_clock::now();
  try {
    if (batch.size() == 1) {
      commit_alone(*batch.front());
    } else {
      commit_together(batch);
    }
  } catch (const std::exception& e) {
    // Behind a commit nothing throws, so nothing of this round is in the file.
    for (Request* each : batch)
      each->outcome = fail(ErrorKind::unavailable, fmt::format("a write failed: {}", e.what()), "try again");
  }
  const bool met_damage = db_->take_met_damage();
  for (Request* each : batch) each->met_damage = met_damage && !each->outcome;
  if (!context_.meter) return;
  std::size_t written = 0;
  for (const Request* each : batch) {
    written += each->outcome.has_value() ? 1 : 0;
    if (each->outcome) continue;
    const Error& error = each->outcome.error();
    if (error.code == session::kStorageFailed || error.kind == ErrorKind::unavailable) context_.meter->failed(error.message);
  }
  if (written > 0) context_.meter->committed(std::chrono::steady_clock::now() - began, written);
}

void Writer::commit_together(std::span<Request* const> batch) {
  if (auto begun = begin(); !begun) {
    for (Request* each : batch) each->outcome = begun;
    return;
  }
  bool any = false;
  for (Request* each : batch) {
    each->outcome = call_in_savepoint(*each->work);
    any = any || each->outcome.has_value();
    if (!db_->in_transaction()) break;
  }
  if (db_->in_transaction()) {
    if (!any) return roll_back();
    if (commit()) return;
  }
  for (Request* each : batch) commit_alone(*each);
}

void Writer::commit_alone(Request& request) {
  request.outcome = begin();
  if (!request.outcome) return;
  request.outcome = call(*request.work);
  if (request.outcome && db_->in_transaction()) {
    request.outcome = commit();
  } else {
    // Work that swallowed the error which ended its transaction must not be told that it succeeded.
    if (request.outcome)
      request.outcome = fail(ErrorKind::io, "the transaction was rolled back by the database", "try again",
                             std::string(session::kStorageFailed));
    roll_back();
  }
}

Result<void> Writer::begin() {
  if (!context_.read_only_reason.empty()) return fail(ErrorKind::refused, context_.read_only_reason);
  roll_back();  // what an exception may have left
  HF_CHECK(save_log());
  HF_CHECK(db_->run("BEGIN IMMEDIATE"));
  pending_ = {};
  auto last = read_last_sequence(*db_);
  if (!last) {
    roll_back();
    return fail(std::move(last).error());
  }
  sequence_ = *last;
  return {};
}

// This process still has the log open, and with it all that was committed since it was last folded into the file.
Result<void> Writer::save_log() {
  const OpenFiles::Lost lost = files_.lost();
  if (lost == OpenFiles::Lost::nothing) return {};
  if (lost == OpenFiles::Lost::store)
    return fail(ErrorKind::io, context_.path + ": the store was moved, removed or replaced under the running process",
                "put it back, or start the process again", std::string(session::kStorageFailed));
  HF_TRY(const auto busy, db_->number("PRAGMA wal_checkpoint(TRUNCATE)"));
  if (busy.value_or(1) != 0)
    return fail(ErrorKind::unavailable, context_.path + ": its log was removed under the running process, and somebody reads",
                "try again");
  on_reopen_();
  HF_CHECK(db_->reopen());
  HF_CHECK(db_->script(settings_));
  files_.remember();
  log(LogLevel::error, "store",
      context_.path +
          "-wal or -shm was removed or replaced while it was in use. All that was written is in the store; nobody may remove "
          "them");
  return {};
}

Result<void> Writer::call(const Work& work) {
  SqliteTables tables(*db_, context_.secret, sequence_);
  TableTransaction transaction(tables, context_);
  Result<void> outcome;
  try {
    outcome = work(transaction);
  } catch (const std::exception& e) {
    // The leader runs work of other threads: an exception must not unwind into the wrong one.
    outcome = fail(ErrorKind::internal, fmt::format("a write failed: {}", e.what()));
  }
  if (outcome && transaction.wants_scrub()) outcome = tables.note_erasures();
  if (outcome) {
    pending_.text_bytes += transaction.appended_bytes();
    pending_.scrubbed = pending_.scrubbed || transaction.wants_scrub();
  }
  return outcome;
}

Result<void> Writer::call_in_savepoint(const Work& work) {
  HF_CHECK(db_->run("SAVEPOINT work"));
  const std::int64_t sequence = sequence_;
  Result<void> outcome = call(work);
  if (!db_->in_transaction()) return outcome;
  if (!outcome) {
    sequence_ = sequence;
    // If even this fails the round cannot be trusted any more; without a transaction it is run again.
    if (auto undone = db_->run("ROLLBACK TO work"); !undone) {
      roll_back();
      return undone;
    }
  }
  if (auto released = db_->run("RELEASE work"); !released) {
    roll_back();
    return released;
  }
  return outcome;
}

Result<void> Writer::commit() {
  Result<void> committed;
  if (pending_.scrubbed) committed = scrubber_.mark_due();
  if (committed) committed = db_->run("COMMIT");
  if (!committed) {
    roll_back();
    // The log may hold the refused commit, whole but unacknowledged, and a crash now would bring it
    // back. Any later commit is written over it, so make one at once.
    static_cast<void>(db_->run("INSERT OR REPLACE INTO meta VALUES('after_failure', ?)", Blob{make_handle()}));
    return committed;
  }
  after_commit();
  return {};
}

// What is written is written: whatever goes wrong here must not look like a failed write.
void Writer::after_commit() {
  try {
    if (pending_.scrubbed || scrub_due_) finish_scrub(pending_.scrubbed ? kScrubPatience : std::chrono::milliseconds(0));
    on_commit_(pending_);
  } catch (const std::exception& e) {
    log(LogLevel::error, "store", fmt::format("after a commit: {}", e.what()));
  }
}

void Writer::roll_back() {
  if (db_->in_transaction()) static_cast<void>(db_->run("ROLLBACK"));
}

void Writer::finish_scrub(std::chrono::milliseconds patience) {
  const auto finished = scrubber_.finish(patience);
  const bool was_due = std::exchange(scrub_due_, !finished || !*finished);
  if (!scrub_due_ || was_due) return;  // said once
  log(LogLevel::warn, "store",
      "erased text is still in the files and will go with a later commit: " +
          (finished ? "somebody reads" : finished.error().message));
}

bool Writer::resume_scrub() {
  const auto due = scrubber_.is_due();
  if (!due || !*due) return false;
  finish_scrub(std::chrono::milliseconds(0));
  return true;
}

}  // namespace holdfast::store
