#pragma once

// What the answers of search services have in common: {"results": [{"url", "title", "content", …}]}. They are strangers' words:
// every type is looked at, addresses are brought into one form, and what is not a web address is left out.

#include "base/json/json.h"
#include "kinds/research/sources/search_provider.h"

#include <optional>

namespace holdfast::research {

inline constexpr std::size_t kMaxSearchAnswerBytes = 16ULL << 20;  // twenty pages in full are a few megabytes
inline constexpr std::size_t kMaxFoundContentBytes = 2ULL << 20;   // as much as following the link would give (kFetchBytes)

// Errors: unavailable (not such an answer: a captive portal, a proxy's page).
Result<JsonArray> read_results(std::string_view provider, std::string_view body);
// uri, title, snippet and, from the member of that name, published. nullopt: not a result.
std::optional<Found> found_from(const Json& result, std::string_view published_key);
double score_of_rank(std::size_t rank, std::size_t count);  // for lists without scores: 1 down to above 0

// The setting base_url without a '/' at its end. Errors: invalid.
Result<std::string> base_url_of(const JsonObject& settings, std::string_view provider, std::string_view fallback);

}  // namespace holdfast::research
