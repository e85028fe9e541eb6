#pragma once

// What was said in the transcripts of this user, on disk and in the guard, as sources of research. The context outlives it; any
// thread.

#include "cli/program/context.h"
#include "kinds/research/sources/providers.h"

#include <functional>

namespace holdfast::transcripts {
class Keeper;
}

namespace holdfast::cli {

class SearchService;

// What transcripts are searched with; both outlive the questions.
struct OpenTranscripts {
  const transcripts::Keeper* keeper = nullptr;
  SearchService* search = nullptr;
};

// open: of a server, the search that it has open for everything; asked with every question, so it must be cheap the second time.
// Empty: one is opened with the first question. Transcripts that cannot be searched are logged and done without.
research::PastTranscripts past_transcripts(const Context& context, std::function<Result<OpenTranscripts>()> open = {});

}  // namespace holdfast::cli
