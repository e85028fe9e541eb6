#pragma once

// The orders of lists, as SQL and as positions, and a page in one of them.

#include "session/query/cursor.h"
#include "store/tables/condition.h"
#include "store/tables/sql.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::store {

// An order is a list of keys that are all compared in the same direction, the id last. The first keys of some are the same
// for all sessions of a bucket; the index has the others.
struct Order {
  std::size_t bucket_keys = 0;
  std::vector<std::string> keys;  // SQL expressions, those of the bucket first
  bool descending = true;
  std::string_view index;               // of SQLite
  std::vector<std::string_view> texts;  // of the query; bound once for every use of all keys

  std::string columns(std::size_t from = 0) const;
  std::string by(std::size_t from = 0) const;  // for ORDER BY
  bool before(const session::Position& a, const session::Position& b) const;
};

Order order_of(const session::Query& query);

// Where a session stands in the order.
struct Place {
  std::int64_t key = 0;
  session::Position position;
};

// Asks for the places of one page and, when there is one, of the item behind it: rows for read_place. What it is made of outlives
// it.
SqlStatement select_places(const session::Query& query, const Condition& where, const std::optional<session::Position>& after);
Place read_place(const Columns& columns, std::size_t keys);  // as many as the order has

// The places of one page and, when there is one, of the item behind it; and how many there are in all.
struct Found {
  std::vector<Place> places;
  std::int64_t total = session::kNotCounted;
};

// The page that the query asks for. `find` knows the places behind one, `load` the records that stand there, in that order; both
// are asked once, and `load` not for nothing. The store's secret authenticates the cursor.
using FindPlaces = std::function<Result<Found>(const std::optional<session::Position>& after)>;
using LoadPlaces = std::function<Result<std::vector<session::SessionRecord>>(const std::vector<Place>& places)>;
Result<session::Page> list_page(const session::Query& query, std::string_view secret, const FindPlaces& find,
                                const LoadPlaces& load);

}  // namespace holdfast::store
