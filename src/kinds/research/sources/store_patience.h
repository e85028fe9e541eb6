#pragma once

// Patience with the store as a source. One that is shared by many machines may be restarting, or have more to do than it can for
// a while; a run that could go on a few seconds later must not fail for it, as it would not for a search service (resilient.h).

#include "kinds/research/sources/resilient.h"
#include "kinds/research/sources/search_provider.h"

namespace holdfast::research {

inline constexpr int kStoreRetries = 4;
inline constexpr std::chrono::milliseconds kStorePause{2'000};  // the store has waited by itself before

// Searches again, after a pause, while the answer is that the store is unavailable. The last answer when there is no time left;
// cancelled when `ask` is.
Result<std::vector<Found>> search_patiently(const SearchAsk& ask, const Pace& pace,
                                            const std::function<Result<std::vector<Found>>()>& search);

}  // namespace holdfast::research
