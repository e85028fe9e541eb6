#pragma once

// What is known about a search service by all who ask it: how often it may be asked, and whether it is in trouble
// (threads-and-research §10). Times are wall-clock milliseconds, because processes and nodes share them.

#include "base/result.h"
#include "base/run/clock.h"
#include "session/store.h"

#include <functional>
#include <string>

namespace holdfast::research {

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

}  // namespace holdfast::research
