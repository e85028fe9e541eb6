#include "kinds/research/sources/store_patience.h"

namespace holdfast::research {

Result<std::vector<Found>> search_patiently(const SearchAsk& ask, const Pace& pace,
                                            const std::function<Result<std::vector<Found>>()>& search) {
  for (int attempt = 0;; ++attempt) {
    auto found = search();
    if (found || found.error().kind != ErrorKind::unavailable || attempt == kStoreRetries) return found;
    if (ask.deadline != Pace::Time::max() && pace.now() + kStorePause >= ask.deadline) return found;
    if (!pace.pause(kStorePause, ask.cancelled)) return fail(ErrorKind::cancelled, "stopped while waiting for the store");
  }
}

}  // namespace holdfast::research
