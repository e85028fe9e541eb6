#pragma once

// A whole file of lines through a Splicer: what clone, move and restore do with every transcript.

#include "jsonl/line_reader.h"
#include "jsonl/splice.h"

#include <array>
#include <cstdint>

namespace holdfast::jsonl {

struct SpliceCounts {
  std::uint64_t lines = 0;
  std::uint64_t bytes_in = 0;
  std::uint64_t bytes_out = 0;
  std::uint64_t edited_lines = 0;
  std::uint64_t edits = 0;
  std::uint64_t overlong_lines = 0;                                                         // copied as they are, not looked into
  std::uint64_t invalid_utf8_lines = 0;                                                     // JSON otherwise, and edited as such
  std::array<std::uint64_t, static_cast<std::size_t>(LineShape::too_long) + 1> by_shape{};  // lines of each LineShape

  std::uint64_t of(LineShape shape) const { return by_shape[static_cast<std::size_t>(shape)]; }
};

// Writes every line that is left in `lines` to `out`, spliced. Line endings and a missing one are kept. When it fails, some of
// the lines may have been written. Errors: those of the reader and of writing.
Result<SpliceCounts> splice_lines(LineReader& lines, Splicer& splicer, int out);

}  // namespace holdfast::jsonl
