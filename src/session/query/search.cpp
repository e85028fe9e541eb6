#include "session/query/search.h"

#include "session/limits.h"

#include <fmt/format.h>

namespace holdfast::session {

bool is_in_time(const SearchQuery& query, Millis time) {
  return (!query.since || time >= *query.since) && (!query.until || time < *query.until);
}

Result<void> check_search(const SearchQuery& query) {
  if (query.limit < 1 || query.limit > kMaxSearchLimit) {
    return fail(ErrorKind::invalid, fmt::format("limit must be 1 to {}, not {}", kMaxSearchLimit, query.limit));
  }
  if (query.text.size() > kMaxSearchTextBytes) {
    return fail(ErrorKind::too_large, fmt::format("at most {} bytes can be searched for", kMaxSearchTextBytes));
  }
  return {};
}

std::string damaged_snippet(std::string_view damage, std::string_view snippet) {
  return fmt::format("[damaged: {}] {}", damage, snippet);
}

}  // namespace holdfast::session
