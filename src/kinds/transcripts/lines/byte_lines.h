#pragma once

// The lines of bytes that can be read from anywhere. Codex compresses what has been idle for long: what such a file holds,
// decompressed while it is read, or as a file.

#include "base/files/fd.h"
#include "base/files/zstd.h"
#include "jsonl/line_reader.h"
#include "reading/reading.h"

#include <cstdint>

namespace holdfast::transcripts {

// The lines between two offsets, fewer when there is less; offsets and numbers of lines count from `from`.
jsonl::LineReader lines_of(const reading::ByteSource& bytes, std::uint64_t from = 0, std::uint64_t to = UINT64_MAX);

// More than any transcript; a small file that unpacks without end must not keep us for ever.
inline constexpr std::uint64_t kMaxUnpackedBytes = 16ULL << 30;
// A compressed rollout has to be unpacked to be read from anywhere; more than this is left to other commands.
inline constexpr std::uint64_t kMaxReadUnpacked = 4ULL << 30;

// Compressed bytes, from the first on; from where a descriptor stands, which outlives the source.
ZstdReader::Source in_order(const reading::ByteSource& bytes);
ZstdReader::Source in_order(const Fd& file);

// The reader fails with corrupt (damaged, cut off), too_large, io.
Result<jsonl::LineReader> lines_of_zstd(ZstdReader::Source packed);

// In a temporary file without a name. Errors: corrupt, too_large, io.
Result<Fd> unpacked(ZstdReader::Source packed);

}  // namespace holdfast::transcripts
