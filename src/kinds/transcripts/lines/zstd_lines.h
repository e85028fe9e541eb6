#pragma once

// The lines of a compressed transcript, decompressed while they are read.

#include "base/result.h"
#include "jsonl/line_reader.h"

#include <cstdint>

namespace holdfast::transcripts {

// More than any transcript; a small file that unpacks without end must not keep us for ever.
inline constexpr std::uint64_t kMaxUnpackedBytes = 16ULL << 30;

// Reads from where the descriptor stands, which belongs to the caller and must outlive the reader. The reader fails with corrupt
// (damaged, cut off), too_large, io.
Result<jsonl::LineReader> lines_of_zstd(int fd);

}  // namespace holdfast::transcripts
