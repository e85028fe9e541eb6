#pragma once

// A worker's hold on its run, and the eye it keeps on it (threads-and-research §11, §12).
//
// While it lives, one thread renews the lease, and looks whether the run was cancelled or deleted (by whatever process) or the
// program is stopping. Whoever waits for a provider asks ended(). The destructor joins; it does not release the lease: that
// belongs to the transaction that says how the work ended.

#include "base/run/ticker.h"
#include "session/store.h"

#include <atomic>
#include <chrono>
#include <functional>
#include <stop_token>
#include <string>

namespace holdfast::session {

// Well below the two seconds in which a cancel has to be noticed; a look is one read of the store.
inline constexpr std::chrono::milliseconds kLookEvery{200};

// Three chances to renew a lease before it runs out.
inline constexpr Millis kRenewalsPerLease = 4;

enum class WorkEnd {
  none,
  cancelled,  // or deleted, or purged: nothing may be written any more
  lost,       // somebody else has the lease
  stopping,   // the program ends
};

class WorkerLease {
 public:
  WorkerLease(Store& store, std::string session, Lease lease, std::function<bool()> stopping);

  const Lease& lease() const { return lease_; }
  // Any thread. The first reason stands.
  WorkEnd end() const { return end_; }
  bool ended() const { return end_ != WorkEnd::none; }
  void set_end(WorkEnd end);
  // Requested when it has ended.
  std::stop_token end_token() const { return ended_.get_token(); }
  // Inside a transaction of the worker: whether it may write. conflict (lost), cancelled.
  Result<SessionRecord> require(Transaction& transaction) const;

 private:
  void look();
  void renew_in_time();

  Store& store_;
  const std::string session_;
  const Lease lease_;
  const std::function<bool()> stopping_;
  std::atomic<WorkEnd> end_ = WorkEnd::none;
  std::stop_source ended_;
  std::chrono::steady_clock::time_point renew_at_;
  Ticker ticker_;  // the last to be made
};

}  // namespace holdfast::session
