#pragma once

// A worker's hold on its run, and the eye it keeps on it (threads-and-research §11, §12).
//
// While it lives, one thread renews the lease, and looks whether the run was cancelled or deleted (by whatever process) or the
// program is stopping. Whoever waits for a provider asks ended(). The destructor joins; it does not release the lease: that
// belongs to the transaction that says how the work ended.

#include "session/store.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

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
  WorkerLease(const WorkerLease&) = delete;
  WorkerLease& operator=(const WorkerLease&) = delete;
  ~WorkerLease();

  const Lease& lease() const { return lease_; }
  // Any thread. The first reason stands.
  WorkEnd end() const { return end_; }
  bool ended() const { return end_ != WorkEnd::none; }
  void set_end(WorkEnd end);
  // Inside a transaction of the worker: whether it may write. conflict (lost), cancelled.
  Result<SessionRecord> require(Transaction& transaction) const;

 private:
  void watch(const std::stop_token& stop);
  void look();

  Store& store_;
  const std::string session_;
  const Lease lease_;
  const std::function<bool()> stopping_;
  std::atomic<WorkEnd> end_ = WorkEnd::none;
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::jthread thread_;
};

}  // namespace holdfast::session
