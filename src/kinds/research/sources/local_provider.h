#pragma once

// The provider that needs no network: documents below the configured folders (corpus.h) and own past sessions
// (session_search.h), in one list.
//
// The corpus is brought up to date before a search, but not more often than looking through its folders is worth: at most a tenth
// of the time goes into it. More than kMaxOfOneDocument passages of one file are returned only when no other file has any.

#include "kinds/research/corpus/corpus.h"
#include "kinds/research/sources/resilient.h"
#include "kinds/research/sources/search_provider.h"
#include "kinds/research/sources/session_search.h"

namespace holdfast::research {

inline constexpr std::size_t kMaxOfOneDocument = 3;  // a long document must not be the only source of a question

// corpus: null when there are no documents. sessions: null when they are not to be searched; outlives the provider.
std::unique_ptr<SearchProvider> make_local_provider(std::unique_ptr<Corpus> corpus, session::Store* sessions,
                                                    PastTranscripts transcripts = {});

// Patience with the store as a source. One that is shared by many machines may be restarting, or have more to do than it can for
// a while; a run that could go on a few seconds later must not fail for it, as it would not for a search service (resilient.h).
inline constexpr int kStoreRetries = 4;
inline constexpr std::chrono::milliseconds kStorePause{2'000};  // the store has waited by itself before
// Searches again, after a pause, while the answer is that the store is unavailable. The last answer when there is no time left;
// cancelled when `ask` is.
Result<std::vector<Found>> search_patiently(const SearchAsk& ask, const Pace& pace,
                                            const std::function<Result<std::vector<Found>>()>& search);

}  // namespace holdfast::research
