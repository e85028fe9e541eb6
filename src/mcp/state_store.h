#pragma once

// What the protocol layer keeps beyond one process: legacy sessions, events of their streams, tasks,
// and the secret that authenticates what clients carry for us. The layer knows only this interface;
// tools/mcp_state.h implements it over the session store.
//
// All calls block and come from pool threads; implementations are thread-safe.

#include "base/clock.h"
#include "base/json.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::mcp {

struct StoredState {
  std::string key;
  Json value;
};

class StateStore {
 public:
  virtual ~StateStore() = default;

  // 32 random bytes, the same for every process that shares the store.
  virtual Result<std::string> secret() = 0;

  virtual Result<std::optional<Json>> get(std::string_view area, std::string_view key) = 0;
  // Durable when it returns. The value is gone at expires_at.
  virtual Result<void> put(std::string_view area, std::string_view key, const Json& value, Millis expires_at) = 0;
  virtual Result<void> erase(std::string_view area, std::string_view key) = 0;
  // Keys that begin with prefix and come after `after`, in order.
  virtual Result<std::vector<StoredState>> list(std::string_view area, std::string_view prefix, std::string_view after,
                                                std::size_t limit) = 0;

  // Names this process, and tells whether a process so named is still there (design 8.16).
  virtual std::string owner() const = 0;
  virtual bool is_alive(std::string_view owner) const = 0;
};

}  // namespace holdfast::mcp
