#pragma once

// Leases: at most one worker on a thing, across processes and machines (design 8.16).
//
// A lease has an epoch that grows each time it changes hands. A worker puts the epoch into every
// transaction (Transaction::require_lease), so that one that was thought dead and wakes up cannot
// write over its successor. A lease is over when its time has run out, or at once when its owner is a
// process of this host that no longer runs.
//
// Time here is not the injectable clock: within one boot of one host it is the kernel's boot clock,
// which nobody can set; between hosts it is the system's wall clock.

#include "base/run/clock.h"

#include <cstdint>
#include <functional>
#include <string>

namespace holdfast::session {

struct LeaseOwner {
  std::string host;  // machine, boot and process-id namespace
  std::int64_t pid = 0;
  std::int64_t started = 0;  // start time of the process in clock ticks since boot
  std::string token;         // random, so that two workers of one process are two owners

  bool operator==(const LeaseOwner&) const = default;
};

// An owner for a worker of this process, with a fresh token.
LeaseOwner make_lease_owner();

// True when the owner is a process of this host and boot that has ended (or its pid was reused).
bool is_known_dead(const LeaseOwner& owner);

struct LeaseTime {
  Millis boot = 0;  // since the host started
  Millis wall = 0;
};
LeaseTime lease_time_now();

struct Lease {
  std::string name;
  LeaseOwner owner;
  std::int64_t epoch = 0;
  LeaseTime renewed;
  Millis ttl = 0;
};

// Whether the lease no longer protects its owner.
bool is_over(const Lease& lease, const LeaseTime& now);

inline constexpr Millis kLeaseTtl = 60'000;         // design 8.16
inline constexpr Millis kLeaseRenewEvery = 15'000;  // three chances before it runs out

}  // namespace holdfast::session
