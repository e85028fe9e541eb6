#include "store/tables/order.h"

#include "store/tables/condition.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace holdfast::store {

using session::Position;
using session::Query;
using session::Sort;

namespace {

// As a number, for the cursor. Not every database takes an empty list, and a bare number in ORDER BY would name a column.
std::string preferred(std::size_t statuses) {
  return fmt::format("CASE WHEN {} THEN 1 ELSE 0 END", statuses == 0 ? "FALSE" : "s.status IN " + marks(statuses));
}

}  // namespace

std::string Order::columns(std::size_t from) const {
  return fmt::format("{}", fmt::join(keys.begin() + static_cast<std::ptrdiff_t>(from), keys.end(), ", "));
}

std::string Order::by(std::size_t from) const {
  std::string out;
  for (std::size_t i = from; i < keys.size(); ++i) out += fmt::format("{}{}, ", keys[i], descending ? " DESC" : "");
  return out + (descending ? "s.id DESC" : "s.id");
}

bool Order::before(const Position& a, const Position& b) const {
  return descending ? std::tie(b.keys, b.id) < std::tie(a.keys, a.id) : std::tie(a.keys, a.id) < std::tie(b.keys, b.id);
}

Order order_of(const Query& query) {
  switch (query.sort) {
    case Sort::updated:
      break;
    case Sort::created:
      return {0, {"s.created_at"}, true, "sessions_created", {}};
    case Sort::due:
      return {0, {"s.due_key"}, false, "sessions_due", {}};
    case Sort::resume:
      return {2,
              {"s.pinned", preferred(query.prefer_status.size()), "s.updated_at", "s.created_at"},
              true,
              "sessions_updated",
              query.prefer_status};
  }
  return {0, {"s.updated_at"}, true, "sessions_updated", {}};
}

}  // namespace holdfast::store
