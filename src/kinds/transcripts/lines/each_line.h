#pragma once

// The lines of a session's files of lines, for those who look into records and keep nothing (drift, usage, verify).
//
// Other than read_session.h, which hands a session on byte by byte and must fail when a file changes under it, this reads each
// file as it was when opened, and a file that has gone since the inventory has no lines.

#include "base/result.h"
#include "jsonl/line_reader.h"
#include "kinds/transcripts/home/inventory.h"
#include "kinds/transcripts/remote/progress.h"

#include <cstdint>
#include <functional>
#include <span>

namespace holdfast::transcripts {

// The lines of a compressed transcript, decompressed while they are read.

// More than any transcript; a small file that unpacks without end must not keep us for ever.
inline constexpr std::uint64_t kMaxUnpackedBytes = 16ULL << 30;

// Reads from where the descriptor stands, which belongs to the caller and must outlive the reader. The reader fails with corrupt
// (damaged, cut off), too_large, io.
Result<jsonl::LineReader> lines_of_zstd(int fd);

// Called with every line, parts of overlong ones included; on the caller's thread. An error ends the reading.
using TakeLine = std::function<Result<void>(const Artifact& artifact, const jsonl::Line& line)>;

// Of those artifacts that are files of lines, in their order. Errors: cancelled (by progress), those of reading and of `take`.
Result<void> each_line(const Home& home, std::span<const Artifact> artifacts, std::string_view step, const TakeLine& take,
                       const Progress& progress);

}  // namespace holdfast::transcripts
