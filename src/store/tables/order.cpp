#include "store/tables/order.h"

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
              {query.prefer_status.begin(), query.prefer_status.end()}};
  }
  return {0, {"s.updated_at"}, true, "sessions_updated", {}};
}

SqlStatement select_places(const Query& query, const Condition& where, const std::optional<Position>& after) {
  const Order order = order_of(query);
  SqlStatement statement{fmt::format("SELECT s.key, s.id, {} FROM sessions AS s WHERE {}", order.columns(), where.sql), {}};
  SqlValues& values = statement.values;
  const auto bind_texts = [&] { values.insert(values.end(), order.texts.begin(), order.texts.end()); };
  bind_texts();
  values.insert(values.end(), where.values.begin(), where.values.end());
  if (after) {
    statement.sql +=
        fmt::format(" AND ({}, s.id) {} {}", order.columns(), order.descending ? "<" : ">", marks(order.keys.size() + 1));
    bind_texts();
    for (std::size_t i = 0; i < order.keys.size(); ++i) values.emplace_back(after->keys[i]);
    values.emplace_back(after->id);
  }
  statement.sql += fmt::format(" ORDER BY {} LIMIT ? OFFSET ?", order.by());
  bind_texts();
  values.emplace_back(query.limit + 1);
  values.emplace_back(query.offset);
  return statement;
}

Place read_place(const Columns& columns, std::size_t keys) {
  Place place{columns.integer(0), {{}, std::string(columns.text(1))}};
  for (std::size_t i = 0; i < keys; ++i) place.position.keys[i] = columns.integer(static_cast<int>(i) + 2);
  return place;
}

Result<session::Page> list_page(const Query& query, std::string_view secret, const FindPlaces& find, const LoadPlaces& load) {
  HF_CHECK(session::check_query(query));
  std::optional<Position> after;
  if (!query.cursor.empty()) {
    HF_TRY(after, session::read_cursor(secret, query));
  }
  HF_TRY(Found found, find(after));
  session::Page page;
  page.total = query.count ? found.total : session::kNotCounted;
  if (found.places.size() > query.limit) {
    found.places.resize(query.limit);
    page.next_cursor = session::make_cursor(secret, query, found.places.back().position);
  }
  if (!found.places.empty()) {
    HF_TRY(page.items, load(found.places));
  }
  return page;
}

}  // namespace holdfast::store
