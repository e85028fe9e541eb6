#pragma once

// What the protocol layer keeps beyond one process, kept as keyed values of the session store.
//
// An area of the protocol is a namespace of the store. Any number of processes may share one store; each
// names itself by where and when it was started, so that another can tell whether it still runs. Calls
// block; any thread. The store must outlive it.

#include "mcp/server/state_store.h"
#include "session/leases.h"
#include "session/store.h"

#include <memory>
#include <mutex>

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

  Result<void> change(const Work& work) override;

  std::string owner() const override { return owner_; }
  // A process of this host is looked at; one of another host lives as long as it says so (mcp::kNodeArea). When the store cannot
  // be asked it is believed to live.
  bool is_alive(std::string_view owner) const override;

  bool is_shared() const override { return true; }
  std::string address() const override { return name_.token; }
  Result<void> watch(std::function<void()> woken) override;

 private:
  session::Store& store_;
  session::LeaseOwner name_;
  std::string owner_;
  std::mutex mutex_;
  std::unique_ptr<session::Subscription> subscription_;  // guarded by mutex_
};

}  // namespace holdfast::tools
