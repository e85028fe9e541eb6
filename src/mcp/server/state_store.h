#pragma once

// What the protocol layer keeps beyond one process: legacy sessions, events of their streams, tasks, messages between
// processes, and the secret that authenticates what clients carry for us. The layer knows only this interface;
// tools/mcp_state.h implements it over the session store.
//
// All calls block and come from pool threads; implementations are thread-safe.

#include "base/json/json.h"
#include "base/run/clock.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::mcp {

struct StoredState {
  std::string key;
  Json value;
};

// Processes that can be written to, by their address; a row is there as long as its process has been heard of (design 8.16).
inline constexpr std::string_view kNodeArea = "mcp.node";

class StateTransaction {
 public:
  virtual ~StateTransaction() = default;
  virtual Result<std::optional<Json>> get(std::string_view area, std::string_view key) = 0;
  virtual Result<std::vector<StoredState>> list(std::string_view area, std::string_view prefix, std::string_view after,
                                                std::size_t limit) = 0;
  virtual Result<void> put(std::string_view area, std::string_view key, const Json& value, Millis expires_at) = 0;
  virtual Result<void> erase(std::string_view area, std::string_view key) = 0;
  // Whoever watches is woken once this is done.
  virtual void wake() = 0;
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
  // All of it or, when the work returns an error, nothing; durable when it returns. What the work has read does not change
  // meanwhile. It may run more than once and on another thread, and must not call the store.
  using Work = std::function<Result<void>(StateTransaction&)>;
  virtual Result<void> change(const Work& work) = 0;

  // Names this process, and tells whether a process so named is still there (design 8.16).
  virtual std::string owner() const = 0;
  virtual bool is_alive(std::string_view owner) const = 0;

  // Whether other processes may use the same store. If not, nobody is written to, and what is in memory is all there is.
  virtual bool is_shared() const { return false; }
  // What others write to when they write to this process; of kAddressLength letters, digits, '-' and '_'.
  virtual std::string address() const { return {}; }
  // Calls `woken` from some thread when a transaction of any process has asked for it, or may have. It must be short and must
  // not call the store. An empty function ends that: when the call has returned, none is running.
  virtual Result<void> watch(std::function<void()> woken) {
    static_cast<void>(woken);
    return {};
  }
};

inline constexpr std::size_t kAddressLength = 22;

}  // namespace holdfast::mcp
