#pragma once

// Several segments as one, without the blocks that are not kept: words that only those had are gone. Streams term by term; what
// stays in memory is the word list of the result.

#include "search/index/segment/segment.h"
#include "search/index/segment/segment_writer.h"

#include <memory>
#include <optional>
#include <vector>

namespace holdfast::search {

struct MergeInput {
  std::shared_ptr<const Segment> segment;
  BlockSet kept;
};

// nullopt: no block is left, and no file was written. corrupt: an input is damaged.
Result<std::optional<WrittenSegment>> merge_segments(const std::vector<MergeInput>& inputs, ByteHash::Seed seed,
                                                     const std::string& path);

}  // namespace holdfast::search
