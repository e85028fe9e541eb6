#pragma once

// Makes the search providers of the settings (`search[]`, threads-and-research §10, §14).

#include "base/json/json.h"
#include "kinds/research/sources/session_search.h"

namespace holdfast::research {

struct CorpusRoot {
  std::string name;                 // in corpus://<name>/…; unique
  std::string folder;               // absolute
  std::vector<std::string> ignore;  // globs below it, beside the built-in ones
};

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

}  // namespace holdfast::research
