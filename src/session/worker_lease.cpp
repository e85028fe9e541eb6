#include "session/worker_lease.h"

#include "base/run/run_guarded.h"
#include "session/life/kind_life.h"

namespace holdfast::session {

namespace {

// The last of a kind's busy states is the one in which somebody is at work; before it, it waits.
bool may_be_worked(const SessionRecord& record) {
  const auto& [waiting, working] = life_of(record.kind).busy;
  return record.status == (working.empty() ? waiting : working) && record.visibility != Visibility::deleted;
}

}  // namespace

WorkerLease::WorkerLease(Store& store, std::string session, Lease lease, std::function<bool()> stopping)
    : store_(store),
      session_(std::move(session)),
      lease_(std::move(lease)),
      stopping_(std::move(stopping)),
      thread_([this](const std::stop_token& stop) {
        const auto loop = [&] { watch(stop); };
        run_guarded(loop, "session");
      }) {}

WorkerLease::~WorkerLease() {
  thread_.request_stop();
  wake_.notify_all();
}

void WorkerLease::set_end(WorkEnd end) {
  WorkEnd none = WorkEnd::none;
  end_.compare_exchange_strong(none, end);
}

Result<SessionRecord> WorkerLease::require(Transaction& transaction) const {
  HF_CHECK(transaction.require_lease(lease_.name, lease_.owner, lease_.epoch));
  HF_TRY(SessionRecord record, transaction.get(session_));
  if (!may_be_worked(record)) return fail(ErrorKind::cancelled, "the run was cancelled or deleted");
  return record;
}

void WorkerLease::look() {
  if (stopping_ && stopping_()) set_end(WorkEnd::stopping);
  auto record = store_.get(session_);
  const bool gone = !record && record.error().kind == ErrorKind::not_found;
  if (gone || (record && !may_be_worked(*record))) set_end(WorkEnd::cancelled);
}

void WorkerLease::watch(const std::stop_token& stop) {
  using Clock = std::chrono::steady_clock;
  const std::chrono::milliseconds every(lease_.ttl / kRenewalsPerLease);
  Clock::time_point renew_at = Clock::now() + every;
  while (!stop.stop_requested()) {
    look();
    if (Clock::now() >= renew_at) {
      auto renewed = store_.write(
          [&](Transaction& transaction) { return transaction.renew_lease(lease_.name, lease_.owner, lease_.epoch); });
      // A store that cannot be written now is asked again at the next look; the lease has time to spare.
      if (renewed) renew_at = Clock::now() + every;
      if (!renewed && renewed.error().kind == ErrorKind::conflict) set_end(WorkEnd::lost);
    }
    std::unique_lock lock(mutex_);
    wake_.wait_for(lock, stop, kLookEvery, [] { return false; });
  }
}

}  // namespace holdfast::session
