#pragma once

// A StateStore that ends with the process: for tests, and for servers that were given no store.

#include "mcp/server/state_store.h"

#include <map>
#include <mutex>

namespace holdfast::mcp {

class MemoryStateStore final : public StateStore {
 public:
  explicit MemoryStateStore(const Clock& clock);

  Result<std::string> secret() override;
  Result<std::optional<Json>> get(std::string_view area, std::string_view key) override;
  Result<void> put(std::string_view area, std::string_view key, const Json& value, Millis expires_at) override;
  Result<void> erase(std::string_view area, std::string_view key) override;
  Result<std::vector<StoredState>> list(std::string_view area, std::string_view prefix, std::string_view after,
                                        std::size_t limit) override;
  Result<void> change(const Work& work) override;
  std::string owner() const override { return "memory"; }
  bool is_alive(std::string_view owner) const override { return owner == "memory"; }

 private:
  class Change;
  struct Row {
    Json value;
    Millis expires_at;
  };
  // Under mutex_.
  std::optional<Json> find(std::string_view area, std::string_view key) const;
  std::vector<StoredState> find_all(std::string_view area, std::string_view prefix, std::string_view after,
                                    std::size_t limit) const;
  void keep(std::string_view area, std::string_view key, const Json& value, Millis expires_at);

  const Clock& clock_;
  std::string secret_;
  std::mutex mutex_;
  std::map<std::pair<std::string, std::string>, Row> rows_;  // guarded by mutex_
  std::size_t writes_ = 0;                                   // guarded by mutex_
};

}  // namespace holdfast::mcp
