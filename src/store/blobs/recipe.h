#pragma once

// A file as a list of chunks, written down in segments: appending to a file rewrites its last segment, whatever its length.

#include "base/result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::store {

struct RecipePart {
  std::int64_t chunk = 0;
  std::uint32_t size = 0;
  bool operator==(const RecipePart&) const = default;
};
using Recipe = std::vector<RecipePart>;

inline constexpr std::size_t kSegmentParts = 256;  // some 4 MiB of a file, some 900 bytes of the catalogue

std::string encode_recipe(const Recipe& recipe);       // ends with a checksum
Result<Recipe> decode_recipe(std::string_view bytes);  // corrupt
std::string encode_ids(const std::vector<std::int64_t>& ids);
Result<std::vector<std::int64_t>> decode_ids(std::string_view bytes);

}  // namespace holdfast::store
