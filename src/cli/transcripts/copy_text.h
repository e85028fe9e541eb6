#pragma once

// What clone and restore print, and what they have in common.

#include "cli/transcripts/transcript_work.h"
#include "kinds/transcripts/verbs/copy_result.h"

namespace holdfast::cli {

std::string copy_text(const transcripts::CopyResult& result, const Terminal& terminal, bool verbose);

// Prints the result, then launches when that was asked for.
Result<void> finish_copy(Context& context, TranscriptWork& work, std::string_view product, const transcripts::CopyResult& result);

// "3 subagents, 2 tasks": what a session is made of beside its main transcript.
std::string parts_text(const std::map<transcripts::ArtifactKind, std::uint64_t>& counts);

}  // namespace holdfast::cli
