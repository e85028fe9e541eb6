#pragma once

// Unpacked frames that were used lately: who reads a file from front to end needs each frame for some sixteen chunks. Any thread.

#include "base/run/recent.h"

#include <cstdint>
#include <memory>
#include <string>

namespace holdfast::store {

using FrameBytes = std::shared_ptr<const std::string>;

struct FrameCache : Recent<std::int64_t, FrameBytes> {
  explicit FrameCache(std::size_t max_bytes) : Recent(max_bytes, [](const FrameBytes& bytes) { return bytes->size(); }) {}
};

}  // namespace holdfast::store
