#include "mcp/memory_state_store.h"

#include "base/hash.h"

namespace holdfast::mcp {

namespace {
constexpr std::size_t kSweepEvery = 1'024;  // writes between two removals of what has expired
}

MemoryStateStore::MemoryStateStore(const Clock& clock) : clock_(clock), secret_(random_bytes(32)) {}

Result<std::string> MemoryStateStore::secret() {
  return secret_;
}

Result<std::optional<Json>> MemoryStateStore::get(std::string_view area, std::string_view key) {
  std::lock_guard lock(mutex_);
  auto row = rows_.find({std::string(area), std::string(key)});
  if (row == rows_.end() || row->second.expires_at <= clock_.now()) return std::nullopt;
  return row->second.value;
}

Result<void> MemoryStateStore::put(std::string_view area, std::string_view key, const Json& value, Millis expires_at) {
  std::lock_guard lock(mutex_);
  rows_.insert_or_assign({std::string(area), std::string(key)}, Row{value, expires_at});
  if (++writes_ % kSweepEvery == 0) {
    Millis now = clock_.now();
    std::erase_if(rows_, [&](const auto& row) { return row.second.expires_at <= now; });
  }
  return {};
}

Result<void> MemoryStateStore::erase(std::string_view area, std::string_view key) {
  std::lock_guard lock(mutex_);
  rows_.erase({std::string(area), std::string(key)});
  return {};
}

Result<std::vector<StoredState>> MemoryStateStore::list(std::string_view area, std::string_view prefix, std::string_view after,
                                                        std::size_t limit) {
  std::lock_guard lock(mutex_);
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

}  // namespace holdfast::mcp
