#include "store/blobs/frame_cache.h"

namespace holdfast::store {

FrameBytes FrameCache::find(std::int64_t frame) {
  const std::lock_guard lock(mutex_);
  const auto found = by_frame_.find(frame);
  if (found == by_frame_.end()) return nullptr;
  kept_.splice(kept_.begin(), kept_, found->second);
  return found->second->bytes;
}

void FrameCache::put(std::int64_t frame, FrameBytes bytes) {
  const std::lock_guard lock(mutex_);
  if (by_frame_.contains(frame)) return;
  bytes_ += bytes->size();
  kept_.push_front({frame, std::move(bytes)});
  by_frame_[frame] = kept_.begin();
  while (bytes_ > max_bytes_ && kept_.size() > 1) {
    bytes_ -= kept_.back().bytes->size();
    by_frame_.erase(kept_.back().frame);
    kept_.pop_back();
  }
}

void FrameCache::clear() {
  const std::lock_guard lock(mutex_);
  kept_.clear();
  by_frame_.clear();
  bytes_ = 0;
}

}  // namespace holdfast::store
