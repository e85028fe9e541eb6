#pragma once

// Several segments as one, without the blocks that are dead: words that only those had are gone. Streams term by term; what stays
// in memory is the word list of the result.

#include "search/index/segment/segment.h"
#include "search/index/segment/segment_writer.h"

#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace holdfast::search {

using IsAlive = std::function<bool(std::uint64_t source)>;

// nullopt: no block is left, and no file was written. corrupt: an input is damaged.
Result<std::optional<WrittenSegment>> merge_segments(const std::vector<std::shared_ptr<const Segment>>& inputs,
                                                     const IsAlive& is_alive, ByteHash::Seed seed, const std::string& path);

// The share of blocks that are dead.
double dead_share(const Segment& segment, const IsAlive& is_alive);

}  // namespace holdfast::search
