#pragma once

// The search providers of the settings (`search[]`, threads-and-research §10, §14), and the one that is always there.

#include "base/json/json.h"
#include "kinds/research/corpus/corpus.h"
#include "kinds/research/sources/resilient.h"
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

struct ProviderSettings {
  std::vector<CorpusRoot> corpus;
  bool sessions = true;  // own past threads, reasoning, transcripts
  PastTranscripts transcripts;
  std::string cache_folder;  // the corpus index is kept here (0700); empty: only in memory
  Json search;  // the setting: [{"type":"searxng","base_url":…}, {"type":"tavily","api_key_env":…, "auth":"bearer|body"}]
  std::function<std::optional<std::string>(const std::string&)> environment;
};

struct MadeProviders {
  Providers providers;                // `local` first; the others wrapped with rate limit, retries and breaker
  std::vector<std::string> warnings;  // "tavily is left out: TAVILY_API_KEY is not set"
};

// What is known about services on the net is kept in the store: rate limits and breakers outlive a run. Errors: invalid (a
// setting that means nothing).
Result<MadeProviders> make_providers(session::Store& store, const ProviderSettings& settings);

// The provider that needs no network: documents below the configured folders and own past sessions
// (search_sessions), in one list.
//
// The corpus is brought up to date before a search, but not more often than looking through its folders is worth: at most a tenth
// of the time goes into it. More than kMaxOfOneDocument passages of one file are returned only when no other file has any.
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

// Own past sessions as sources: messages of threads, thoughts, and what was said in transcripts of coding clients. Not what
// earlier research wrote: its sources are found by themselves, and a report must not be made of reports.
//
// The store finds entries that hold all words of a question, newest first; a question is rarely answered in its own words. So
// each word is looked up by itself, the rarest first, until there are enough candidates, and these are scored with BM25 over
// their texts. The same store and question give the same answer. Deleted and redacted texts, those of others, and those of the
// run that asks are never among them.
// Scores as shares of the best possible (corpus.h, Passage). Errors: those of the store, cancelled, timeout.
Result<std::vector<Found>> search_sessions(session::Store& store, const PastTranscripts& transcripts, const SearchAsk& ask,
                                           const std::vector<std::string>& words);

}  // namespace holdfast::research
