#pragma once

// Codex compresses what has been idle for long; whoever reads a rollout by its plain name gets what it holds.

#include "base/files/fd.h"
#include "base/files/zstd.h"
#include "kinds/transcripts/home/home.h"

namespace holdfast::transcripts {

// A compressed rollout has to be unpacked to be read from anywhere; more than this is left to other commands.
inline constexpr std::uint64_t kMaxReadUnpacked = 4ULL << 30;

// What it unpacks to, in a temporary file without a name. Errors: corrupt, too_large, io.
Result<Fd> unpacked(ZstdReader::Source packed);
// From where the descriptor stands, which outlives the source.
ZstdReader::Source bytes_of_file(const Fd& file);

// The file, or, when there is only its compressed form (a rollout of Codex), what that unpacks to. Errors: not_found, as above.
Result<Fd> open_plain(const Home& home, const std::string& path);

}  // namespace holdfast::transcripts
