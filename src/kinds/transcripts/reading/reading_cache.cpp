#include "kinds/transcripts/reading/reading_cache.h"

#include <algorithm>

namespace holdfast::transcripts {

std::shared_ptr<CachedIndex> ReadingCache::at(const std::string& name, LineIndex::Product product) {
  const std::lock_guard lock(mutex_);
  const auto found = std::ranges::find(items_, name, &Item::name);
  if (found != items_.end()) {
    items_.splice(items_.begin(), items_, found);
  } else {
    items_.push_front({name, std::make_shared<CachedIndex>(product)});
    if (items_.size() > kMostIndexes) items_.pop_back();
  }
  return items_.front().index;
}

std::shared_ptr<CachedIndex> ReadingCache::anew(const std::string& name, LineIndex::Product product) {
  {
    const std::lock_guard lock(mutex_);
    std::erase_if(items_, [&](const Item& item) { return item.name == name; });
  }
  return at(name, product);
}

}  // namespace holdfast::transcripts
