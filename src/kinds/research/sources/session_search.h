#pragma once

// Own past sessions as sources: messages of threads and thoughts. Not what earlier research wrote: its sources are found by
// themselves, and a report must not be made of reports.
//
// The store finds entries that hold all words of a question, newest first; a question is rarely answered in its own words. So
// each word is looked up by itself, the rarest first, until there are enough candidates, and these are scored with BM25 over
// their texts. The same store and question give the same answer. Deleted and redacted texts, those of others, and those of the
// run that asks are never among them.

#include "kinds/research/sources/search_provider.h"
#include "session/store.h"

namespace holdfast::research {

// Scores as shares of the best possible (corpus.h, Passage). Errors: those of the store, cancelled, timeout.
Result<std::vector<Found>> search_sessions(session::Store& store, const SearchAsk& ask, const std::vector<std::string>& words);

}  // namespace holdfast::research
