#include "session/worker_lease.h"

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
      renew_at_(std::chrono::steady_clock::now() + std::chrono::milliseconds(lease_.ttl / kRenewalsPerLease)),
      ticker_("session", kLookEvery, Ticker::First::at_once, [this](const std::stop_token&) {
        look();
        renew_in_time();
      }) {}

void WorkerLease::set_end(WorkEnd end) {
  WorkEnd none = WorkEnd::none;
  if (end_.compare_exchange_strong(none, end)) ended_.request_stop();
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

void WorkerLease::renew_in_time() {
  const auto now = std::chrono::steady_clock::now();
  if (now < renew_at_) return;
  auto renewed =
      store_.write([&](Transaction& transaction) { return transaction.renew_lease(lease_.name, lease_.owner, lease_.epoch); });
  // A store that cannot be written now is asked again at the next look; the lease has time to spare.
  if (renewed) renew_at_ = now + std::chrono::milliseconds(lease_.ttl / kRenewalsPerLease);
  if (!renewed && renewed.error().kind == ErrorKind::conflict) set_end(WorkEnd::lost);
}

}  // namespace holdfast::session
