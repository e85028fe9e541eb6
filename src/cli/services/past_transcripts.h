#pragma once

// What was said in the transcripts of this user, on disk and in the guard, as sources of research. The context outlives it; any
// thread.

#include "cli/program/context.h"
#include "kinds/research/sources/session_search.h"

namespace holdfast::cli {

// Opens what it needs with the first question. Transcripts that cannot be searched are logged and done without.
research::PastTranscripts past_transcripts(const Context& context);

}  // namespace holdfast::cli
