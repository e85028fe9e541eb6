#pragma once

// Cuts a text into chunks of whole lines: what a search finds and a report quotes.
//
// A chunk ends at the first empty line after kChunkBytes, so that paragraphs stay whole, and at the latest before the line that
// would make it longer than kMaxChunkBytes. A longer line is a chunk of its own; beyond kMaxLineBytes it is cut, at a character.

#include <cstdint>
#include <string_view>
#include <vector>

namespace holdfast::search {

inline constexpr std::size_t kChunkBytes = 1536;         // a few paragraphs: about one thought
inline constexpr std::size_t kMaxChunkBytes = 3072;      // a page of source code
inline constexpr std::size_t kMaxLineBytes = 16 * 1024;  // a record of a log; what is longer nobody reads as one line

struct ChunkPlace {
  std::uint32_t offset = 0, length = 0;
  std::uint32_t first_line = 0, last_line = 0;  // from 1
};

// Together the chunks are the text, but for chunks of nothing but white space. At most 4 GiB of text.
std::vector<ChunkPlace> cut_chunks(std::string_view text);

}  // namespace holdfast::search
