#pragma once

// What move and relocate have in common.

#include "cli/transcripts/transcript_work.h"
#include "kinds/transcripts/verbs/move.h"

namespace holdfast::cli {

// All but the target. Errors: invalid (--map).
Result<transcripts::MoveOptions> move_options(const TranscriptWork& work);

std::string move_text(const transcripts::MoveResult& result, const Terminal& terminal);

}  // namespace holdfast::cli
