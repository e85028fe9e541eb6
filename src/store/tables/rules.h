#pragma once

// What the parts of one open store agree on, whichever database it is in. Set before the store is used, constant afterwards.

#include "base/run/clock.h"
#include "session/leases.h"
#include "session/record.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace holdfast::store {

struct Rules {
  std::shared_ptr<const Clock> clock;
  std::function<session::LeaseTime()> lease_now;
  std::function<std::optional<Millis>(const session::SessionRecord&)> due;  // empty: nothing ever is
};

}  // namespace holdfast::store
