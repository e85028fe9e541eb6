#pragma once

// What the parts of one open store share. Set before the store is used, constant afterwards.

#include "base/clock.h"
#include "session/leases.h"
#include "session/record.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace holdfast::store {

struct Context {
  std::string path;
  std::string vfs;
  std::string secret;
  std::string store_id;
  std::shared_ptr<const Clock> clock;
  std::function<session::LeaseTime()> lease_now;
  std::function<std::optional<Millis>(const session::SessionRecord&)> due;  // empty: nothing ever is
  // Why nothing may be written; empty when it may.
  std::string read_only_reason;
};

}  // namespace holdfast::store
