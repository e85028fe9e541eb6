#pragma once

// What the protocol layer keeps beyond one process, kept as keyed values of the session store.
//
// An area of the protocol is a namespace of the store. Any number of processes may share one store; each
// names itself by where and when it was started, so that another can tell whether it still runs. Calls
// block; any thread. The store must outlive it.

#include "mcp/state_store.h"
#include "session/leases.h"
#include "session/store.h"

namespace holdfast::tools {

class McpState final : public mcp::StateStore {
 public:
  explicit McpState(session::Store& store);

  Result<std::string> secret() override;
  Result<std::optional<Json>> get(std::string_view area, std::string_view key) override;
  Result<void> put(std::string_view area, std::string_view key, const Json& value, Millis expires_at) override;
  Result<void> erase(std::string_view area, std::string_view key) override;
  Result<std::vector<mcp::StoredState>> list(std::string_view area, std::string_view prefix, std::string_view after,
                                             std::size_t limit) override;

  std::string owner() const override { return owner_; }
  // A process of this host is looked at; one of another host is believed to live until its rows expire, because
  // nothing here could prove the opposite.
  bool is_alive(std::string_view owner) const override;

 private:
  session::Store& store_;
  std::string owner_;
};

}  // namespace holdfast::tools
