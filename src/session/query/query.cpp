#include "session/query/query.h"

#include "base/text/text.h"
#include "session/limits.h"

#include <fmt/format.h>

namespace holdfast::session {

Result<void> check_query(const Query& query) {
  if (query.limit < 1 || query.limit > kMaxListLimit) {
    return fail(ErrorKind::invalid, fmt::format("limit must be 1 to {}, not {}", kMaxListLimit, query.limit));
  }
  if (!query.cursor.empty() && query.offset != 0) {
    return fail(ErrorKind::invalid, "give a cursor or an offset, not both");
  }
  if (query.tags.size() > kMaxTags || query.roots.size() > kMaxListLimit || query.kinds.size() > kMaxListLimit ||
      query.statuses.size() > kMaxListLimit || query.aspects.size() > kMaxListLimit ||
      query.prefer_status.size() > kMaxListLimit) {
    return fail(ErrorKind::too_large, "the filter names too many values");
  }
  if (query.text.size() > kMaxSearchTextBytes) {
    return fail(ErrorKind::too_large, fmt::format("the text to look for may have {} bytes", kMaxSearchTextBytes));
  }
  return {};
}

}  // namespace holdfast::session
