#pragma once

// The few things that were used last, by their key; what has not been used for longest makes room. Any thread; what is found is
// a copy, so large things are kept behind a shared_ptr.

#include <algorithm>
#include <cstddef>
#include <functional>
#include <list>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>

namespace holdfast {

template <class Key, class Value>
class Recent {
 public:
  // `weight` says what one takes of `most`; without it each takes one. The one used last stays, however heavy.
  explicit Recent(std::size_t most, std::function<std::size_t(const Value&)> weight = {})
      : most_(most), weight_(std::move(weight)) {}

  std::optional<Value> find(const Key& key) {
    const std::lock_guard lock(mutex_);
    const Value* found = use(key);
    return found ? std::optional(*found) : std::nullopt;
  }
  Value find_or_make(const Key& key, const std::function<Value()>& make) {
    const std::lock_guard lock(mutex_);
    const Value* found = use(key);
    return found ? *found : add(key, make());
  }
  // The key under which this very value is kept; looks at each.
  template <class Same>
  std::optional<Key> key_of(const Same& value) {
    const std::lock_guard lock(mutex_);
    const auto found = std::ranges::find_if(items_, [&](const auto& item) { return item.second == value; });
    if (found == items_.end()) return std::nullopt;
    items_.splice(items_.begin(), items_, found);
    return found->first;
  }

  // In the place of a former one.
  void put(const Key& key, Value value) {
    const std::lock_guard lock(mutex_);
    drop(key);
    add(key, std::move(value));
  }
  void erase(const Key& key) {
    const std::lock_guard lock(mutex_);
    drop(key);
  }
  void clear() {
    const std::lock_guard lock(mutex_);
    items_.clear();
    places_.clear();
    weighs_ = 0;
  }

 private:
  std::size_t weight_of(const Value& value) const { return weight_ ? weight_(value) : 1; }

  const Value* use(const Key& key) {
    const auto found = places_.find(key);
    if (found == places_.end()) return nullptr;
    items_.splice(items_.begin(), items_, found->second);
    return &found->second->second;
  }
  const Value& add(const Key& key, Value value) {
    weighs_ += weight_of(value);
    items_.emplace_front(key, std::move(value));
    places_[key] = items_.begin();
    while (weighs_ > most_ && items_.size() > 1) drop(Key(items_.back().first));
    return items_.front().second;
  }
  void drop(const Key& key) {
    const auto found = places_.find(key);
    if (found == places_.end()) return;
    weighs_ -= weight_of(found->second->second);
    items_.erase(found->second);
    places_.erase(found);
  }

  const std::size_t most_;
  const std::function<std::size_t(const Value&)> weight_;
  std::mutex mutex_;  // of all below
  std::size_t weighs_ = 0;
  std::list<std::pair<Key, Value>> items_;  // the last used first
  std::unordered_map<Key, typename std::list<std::pair<Key, Value>>::iterator> places_;
};

}  // namespace holdfast
