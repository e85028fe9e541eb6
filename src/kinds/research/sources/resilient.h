#pragma once

// Patience with a search service (threads-and-research §10, "Resilience per provider").
//
// Asks at most once a second, three times in a row at first (a token bucket). What may pass is tried again up to kRetries times,
// after a random pause that grows from 1 to 60 s, or what Retry-After says. After kFaultsToOpen faults in a row the service is
// left alone for kProbeAfter; then one question tries it. Being asked too often (429) is not a fault. A pause that would not end
// before the deadline is not begun: the last error is returned instead.
//
// What is known about the service belongs to the service, not to a run: it is kept where all who ask it see it
// (service_memory.h). Thread-safe; waits while nobody else has to. Time, pauses and chance are injected, so that no test waits.

#include "kinds/research/sources/remote_search.h"
#include "kinds/research/sources/service_memory.h"

#include <chrono>
#include <functional>
#include <memory>

namespace holdfast::research {

inline constexpr double kAsksPerSecond = 1;
inline constexpr int kRetries = 3;
inline constexpr std::chrono::milliseconds kShortestPause{1'000}, kLongestPause{60'000};
inline constexpr int kFaultsToOpen = 5;
inline constexpr std::chrono::milliseconds kProbeAfter{30'000};

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
