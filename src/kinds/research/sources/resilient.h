#pragma once

// Patience with a search service (threads-and-research §10, "Resilience per provider").
//
// Asks at most once a second, three times in a row at first (a token bucket). What may pass is tried again up to kRetries times,
// after a random pause that grows from 1 to 60 s, or what Retry-After says. After kFaultsToOpen faults in a row the service is
// left alone for kProbeAfter; then one question tries it. Being asked too often (429) is not a fault. A pause that would not end
// before the deadline is not begun: the last error is returned instead.
//
// What is known about the service belongs to the service, not to a run: it is kept where all who ask it see it. Thread-safe;
// waits while nobody else has to. Time, pauses and chance are injected, so that no test waits.

#include "kinds/research/sources/remote_search.h"
#include "session/store.h"

#include <chrono>
#include <functional>
#include <memory>
#include <string>

namespace holdfast::research {

inline constexpr double kAsksPerSecond = 1;
inline constexpr int kRetries = 3;
inline constexpr std::chrono::milliseconds kShortestPause{1'000}, kLongestPause{60'000};
inline constexpr int kFaultsToOpen = 5;
inline constexpr std::chrono::milliseconds kProbeAfter{30'000};

// What is known about a search service by all who ask it: how often it may be asked, and whether it is in trouble
// (threads-and-research §10). Times are wall-clock milliseconds, because processes and nodes share them.
inline constexpr double kBurst = 3;  // questions at once after a rest

struct ServiceState {
  double tokens = kBurst;
  Millis filled_at = 0;  // 0: never asked
  int faults = 0;        // in a row
  Millis opened_at = 0;  // when there were too many of them
  Millis probed_at = 0;  // somebody tries it since; 0: nobody does

  bool operator==(const ServiceState&) const = default;
};

// Shows the state to `change` and keeps what that makes of it, one caller at a time. `change` may run more than once. Errors:
// those of the store.
using ServiceMemory = std::function<Result<void>(const std::function<void(ServiceState&)>& change)>;

// Kept with the sessions, so that it outlives runs and processes. `service` names the service and how it is reached. The store
// outlives it.
ServiceMemory remembered_in(session::Store& store, const std::string& service);

struct Pace {
  using Time = std::chrono::steady_clock::time_point;
  std::function<Time()> now;
  // False when `cancelled` said so.
  std::function<bool(std::chrono::milliseconds, const std::function<bool()>& cancelled)> pause;
  std::function<double()> chance;     // 0 <= x < 1
  std::function<Millis()> wall = {};  // the same for all processes; never the test clock of `clock_file`

  static Pace real();
};

std::unique_ptr<SearchProvider> make_resilient(std::unique_ptr<RemoteSearch> remote, ServiceMemory memory,
                                               Pace pace = Pace::real());

}  // namespace holdfast::research
