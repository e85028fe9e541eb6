#pragma once

// The beginning of an archive: what it says about itself, and its extension block. Internal to the archive reader.

#include "jsonl/pull.h"
#include "kinds/transcripts/archive/archive_block.h"

#include <optional>

namespace holdfast::transcripts {

struct ArchiveOpening {
  ArchiveHeader header;
  SessionPlace place;  // of a foreign archive: made from the project's path
  std::optional<ArchiveBlock> block;
  std::vector<std::string> warnings;
};

// Reads no further than to the first file when all of the header stands in front of it, as in archives of the usual order; else
// to the end. Errors: corrupt (code "unsupported": an unknown major version), too_large.
Result<ArchiveOpening> read_opening(jsonl::PullParser& in, const ArchiveLimits& limits);

// Members that are in every archive and hold no files.
bool is_header_member(std::string_view name);

}  // namespace holdfast::transcripts
