#pragma once

// Own past sessions as sources: messages of threads, thoughts, and what was said in transcripts of coding clients. Not what
// earlier research wrote: its sources are found by themselves, and a report must not be made of reports.
//
// The store finds entries that hold all words of a question, newest first; a question is rarely answered in its own words. So
// each word is looked up by itself, the rarest first, until there are enough candidates, and these are scored with BM25 over
// their texts. The same store and question give the same answer. Deleted and redacted texts, those of others, and those of the
// run that asks are never among them.

#include "kinds/research/sources/search_provider.h"
#include "session/store.h"

namespace holdfast::research {

// What somebody said in a transcript: those are files of a client, which the store does not have.
struct PastText {
  std::string session, title, root_uri;  // of its project; both may be empty
  std::uint64_t line = 0;
  Millis time = 0;
  std::string text;
};
// The best of those that hold all of these words, as far as who asks may see transcripts. Filled by whoever knows where they are;
// empty: there are none.
using PastTranscripts = std::function<Result<std::vector<PastText>>(const SearchAsk& ask, const std::string& words)>;

// Scores as shares of the best possible (corpus.h, Passage). Errors: those of the store, cancelled, timeout.
Result<std::vector<Found>> search_sessions(session::Store& store, const PastTranscripts& transcripts, const SearchAsk& ask,
                                           const std::vector<std::string>& words);

}  // namespace holdfast::research
