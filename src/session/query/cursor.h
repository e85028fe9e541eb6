#pragma once

// Opaque page cursors (design 8.5).
//
// A cursor is the sort position of the last item of a page, authenticated with the store's secret
// and bound to the conditions, the order and the principal of the query that made it. It holds for
// every process that shares the store and does not expire. Anything else is refused: a cursor of
// other filters, of another principal, a changed one, a made-up one.

#include "session/query/query.h"

#include <array>

namespace holdfast::session {

// The values the order compares, most significant first, then the id. How many are used depends on
// the sort; the rest is 0.
struct Position {
  std::array<std::int64_t, 4> keys{};
  std::string id;
};

std::string make_cursor(std::string_view secret, const Query& query, const Position& position);
// invalid, with code "INVALID_CURSOR", when it is not one of ours for this query.
Result<Position> read_cursor(std::string_view secret, const Query& query);

}  // namespace holdfast::session
