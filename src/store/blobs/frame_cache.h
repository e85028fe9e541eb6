#pragma once

// Unpacked frames that were used lately: who reads a file from front to end needs each frame for some sixteen chunks. Any thread.

#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

namespace holdfast::store {

using FrameBytes = std::shared_ptr<const std::string>;

class FrameCache {
 public:
  explicit FrameCache(std::size_t max_bytes) : max_bytes_(max_bytes) {}

  FrameBytes find(std::int64_t frame);  // nullptr: not here
  void put(std::int64_t frame, FrameBytes bytes);
  void clear();

 private:
  struct Kept {
    std::int64_t frame;
    FrameBytes bytes;
  };
  std::size_t max_bytes_;
  std::size_t bytes_ = 0;
  std::mutex mutex_;
  std::list<Kept> kept_;  // the latest used first
  std::unordered_map<std::int64_t, std::list<Kept>::iterator> by_frame_;
};

}  // namespace holdfast::store
