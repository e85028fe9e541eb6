#pragma once

// A StateStore that ends with the process.

#include "base/crypto/hash.h"
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
  static constexpr std::size_t kSweepEvery = 1'024;  // writes between two removals of what has expired

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

inline MemoryStateStore::MemoryStateStore(const Clock& clock) : clock_(clock), secret_(random_bytes(32)) {}

inline Result<std::string> MemoryStateStore::secret() {
  return secret_;
}

inline std::optional<Json> MemoryStateStore::find(std::string_view area, std::string_view key) const {
  auto row = rows_.find({std::string(area), std::string(key)});
  if (row == rows_.end() || row->second.expires_at <= clock_.now()) return std::nullopt;
  return row->second.value;
}

inline void MemoryStateStore::keep(std::string_view area, std::string_view key, const Json& value, Millis expires_at) {
  rows_.insert_or_assign({std::string(area), std::string(key)}, Row{value, expires_at});
  if (++writes_ % kSweepEvery == 0) {
    Millis now = clock_.now();
    std::erase_if(rows_, [&](const auto& row) { return row.second.expires_at <= now; });
  }
}

inline std::vector<StoredState> MemoryStateStore::find_all(std::string_view area, std::string_view prefix, std::string_view after,
                                                           std::size_t limit) const {
  std::vector<StoredState> found;
  Millis now = clock_.now();
  std::string from(std::max(prefix, after));
  for (auto row = rows_.lower_bound({std::string(area), from}); row != rows_.end() && found.size() < limit; ++row) {
    const auto& [row_area, key] = row->first;
    if (row_area != area || !key.starts_with(prefix)) break;
    if (key <= after && !after.empty()) continue;
    if (row->second.expires_at > now) found.push_back({key, row->second.value});
  }
  return found;
}

inline Result<std::optional<Json>> MemoryStateStore::get(std::string_view area, std::string_view key) {
  std::lock_guard lock(mutex_);
  return find(area, key);
}

inline Result<void> MemoryStateStore::put(std::string_view area, std::string_view key, const Json& value, Millis expires_at) {
  std::lock_guard lock(mutex_);
  keep(area, key, value, expires_at);
  return {};
}

inline Result<void> MemoryStateStore::erase(std::string_view area, std::string_view key) {
  std::lock_guard lock(mutex_);
  rows_.erase({std::string(area), std::string(key)});
  return {};
}

inline Result<std::vector<StoredState>> MemoryStateStore::list(std::string_view area, std::string_view prefix,
                                                               std::string_view after, std::size_t limit) {
  std::lock_guard lock(mutex_);
  return find_all(area, prefix, after, limit);
}

// Under the store's lock. Undone from a copy of what it touched when the work fails.
class MemoryStateStore::Change final : public StateTransaction {
 public:
  explicit Change(MemoryStateStore& store) : store_(store) {}

  Result<std::optional<Json>> get(std::string_view area, std::string_view key) override { return store_.find(area, key); }
  Result<std::vector<StoredState>> list(std::string_view area, std::string_view prefix, std::string_view after,
                                        std::size_t limit) override {
    return store_.find_all(area, prefix, after, limit);
  }
  Result<void> put(std::string_view area, std::string_view key, const Json& value, Millis expires_at) override {
    remember(area, key);
    store_.keep(area, key, value, expires_at);
    return {};
  }
  Result<void> erase(std::string_view area, std::string_view key) override {
    remember(area, key);
    store_.rows_.erase({std::string(area), std::string(key)});
    return {};
  }
  void wake() override {}

  void undo() {
    for (auto& [name, row] : before_) {
      if (row)
        store_.rows_.insert_or_assign(name, std::move(*row));
      else
        store_.rows_.erase(name);
    }
  }

 private:
  void remember(std::string_view area, std::string_view key) {
    std::pair<std::string, std::string> name(area, key);
    auto row = store_.rows_.find(name);
    before_.emplace(std::move(name), row == store_.rows_.end() ? std::nullopt : std::optional<Row>(row->second));
  }

  MemoryStateStore& store_;
  std::map<std::pair<std::string, std::string>, std::optional<Row>> before_;
};

inline Result<void> MemoryStateStore::change(const Work& work) {
  std::lock_guard lock(mutex_);
  Change change(*this);
  auto done = work(change);
  if (!done) change.undo();
  return done;
}

}  // namespace holdfast::mcp
