#pragma once

// The provider that needs no network: documents below the configured folders (corpus.h) and own past sessions
// (session_search.h), in one list.
//
// The corpus is brought up to date before a search, but not more often than looking through its folders is worth: at most a tenth
// of the time goes into it. More than kMaxOfOneDocument passages of one file are returned only when no other file has any.

#include "kinds/research/corpus/corpus.h"
#include "kinds/research/sources/search_provider.h"
#include "kinds/research/sources/session_search.h"

namespace holdfast::research {

inline constexpr std::size_t kMaxOfOneDocument = 3;  // a long document must not be the only source of a question

// corpus: null when there are no documents. sessions: null when they are not to be searched; outlives the provider.
std::unique_ptr<SearchProvider> make_local_provider(std::unique_ptr<Corpus> corpus, session::Store* sessions,
                                                    PastTranscripts transcripts = {});

}  // namespace holdfast::research
