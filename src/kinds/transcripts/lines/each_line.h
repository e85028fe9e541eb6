#pragma once

// The lines of a session's files of lines, for those who look into records and keep nothing (drift, usage, verify).
//
// Other than SessionSource::read, which hands a session on byte by byte and must fail when a file changes under it, this reads
// each file as it was when opened, and a file that has gone since the inventory has no lines.

#include "jsonl/line_reader.h"
#include "kinds/transcripts/source/session_source.h"

#include <functional>
#include <span>

namespace holdfast::transcripts {

// Called with every line, parts of overlong ones included; on the caller's thread. An error ends the reading.
using TakeLine = std::function<Result<void>(const Artifact& artifact, const jsonl::Line& line)>;

// Of those artifacts that are files of lines, in their order. Errors: cancelled (by progress), those of reading and of `take`.
Result<void> each_line(SessionSource& source, std::span<const Artifact> artifacts, std::string_view step, const TakeLine& take,
                       const Progress& progress);

}  // namespace holdfast::transcripts
