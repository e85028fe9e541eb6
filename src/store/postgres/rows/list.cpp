#include "store/postgres/rows/list.h"

#include "session/kinds.h"
#include "session/query/cursor.h"
#include "store/postgres/rows/read_tables.h"
#include "store/tables/condition.h"
#include "store/tables/order.h"

#include <fmt/format.h>

#include <map>

namespace holdfast::store::postgres {

using session::Page;
using session::Position;
using session::Query;

namespace {

void add(std::vector<Param>& values, const auto& more) {
  for (const auto& each : more) values.emplace_back(each);
}

// Whether session_counts (schema.cpp) has all the columns the conditions ask for.
bool is_counted(const Query& query) {
  const bool by_aspect = query.aspect || !query.aspects.empty();
  return query.roots.empty() && query.tags.empty() && !query.project && !query.task && query.text.empty() &&
         !query.updated_since && !query.updated_before && !query.due_before &&
         (!by_aspect || query.kinds == std::vector<std::string>{std::string(session::kThread)});
}

Statement count_all(const Query& query, const Condition& where) {
  Statement statement{is_counted(query)
                          ? fmt::format("SELECT coalesce(sum(s.sessions), 0)::int8 FROM session_counts AS s WHERE {}", where.sql)
                          : fmt::format("SELECT count(*) FROM sessions AS s WHERE {}", where.sql),
                      {}};
  add(statement.values, where.values);
  return statement;
}

// The places of one page and, when there is one, of the item behind it.
Statement find_places(const Query& query, const Condition& where, const std::optional<Position>& after) {
  const Order order = order_of(query);
  Statement statement{fmt::format("SELECT s.key, s.id, {} FROM sessions AS s WHERE {}", order.columns(), where.sql), {}};
  std::vector<Param>& values = statement.values;
  add(values, order.texts);
  add(values, where.values);
  if (after) {
    statement.sql +=
        fmt::format(" AND ({}, s.id) {} {}", order.columns(), order.descending ? "<" : ">", marks(order.keys.size() + 1));
    add(values, order.texts);
    for (std::size_t i = 0; i < order.keys.size(); ++i) values.emplace_back(after->keys[i]);
    values.emplace_back(after->id);
  }
  statement.sql += fmt::format(" ORDER BY {} LIMIT ? OFFSET ?", order.by());
  add(values, order.texts);
  values.emplace_back(query.limit + 1);
  values.emplace_back(query.offset);
  return statement;
}

std::vector<Place> read_places(const Answer& rows, std::size_t keys) {
  std::vector<Place> places;
  for (int i = 0; i < rows.size(); ++i) {
    Place& place = places.emplace_back();
    place.key = rows[i].integer(0);
    place.position.id = rows[i].text(1);
    for (std::size_t k = 0; k < keys; ++k) place.position.keys[k] = rows[i].integer(static_cast<int>(k) + 2);
  }
  return places;
}

Result<std::vector<session::SessionRecord>> load(Connection& connection, const std::vector<Place>& places) {
  std::vector<std::int64_t> keys;
  for (const Place& place : places) keys.push_back(place.key);
  static const std::string rows = fmt::format("SELECT {} FROM sessions WHERE key = ANY(?)", session_columns());
  const std::size_t at = connection.queue(rows, {Param::numbers(keys)});
  connection.queue("SELECT description, opening, data, checksum, session FROM session_texts WHERE session = ANY(?)",
                   {Param::numbers(keys)});
  connection.queue(
      "SELECT lane, type, count, highest_number, last_seq, last_time, session FROM tallies WHERE session = ANY(?) "
      "ORDER BY session, lane, type",
      {Param::numbers(keys)});
  HF_TRY(const auto answers, connection.flush());
  std::map<std::int64_t, session::SessionRecord> found;
  std::map<std::int64_t, bool> has_texts;
  for (int i = 0; i < answers[at].size(); ++i) {
    SessionRow row = decode_session(answers[at][i]);
    found.emplace(row.key, std::move(row.record));
  }
  const Answer& texts = answers[at + 1];
  for (int i = 0; i < texts.size(); ++i) {
    decode_texts(texts[i], found[texts[i].integer(4)]);
    has_texts[texts[i].integer(4)] = true;
  }
  const Answer& tallies = answers[at + 2];
  for (int i = 0; i < tallies.size(); ++i) found[tallies[i].integer(6)].tallies.push_back(decode_tally(tallies[i]));
  std::vector<session::SessionRecord> records;
  for (const Place& place : places) {
    session::SessionRecord& record = found[place.key];
    if (!has_texts[place.key]) add_damage(record, "description and data are missing");
    records.push_back(std::move(record));
  }
  return records;
}

}  // namespace

Result<Page> list_sessions(Connection& connection, const Query& query, std::string_view secret) {
  HF_CHECK(session::check_query(query));
  std::optional<Position> after;
  if (!query.cursor.empty()) {
    HF_TRY(after, session::read_cursor(secret, query));
  }
  const Condition where = conditions_of(query, kPostgresHasText);
  Page page;
  const std::size_t at = connection.queue(find_places(query, where, after));
  if (query.count) connection.queue(count_all(query, where));
  HF_TRY(const auto answers, connection.flush());
  page.total = query.count ? answers[at + 1][0].integer(0) : session::kNotCounted;
  std::vector<Place> places = read_places(answers[at], order_of(query).keys.size());
  if (places.size() > query.limit) {
    places.resize(query.limit);
    page.next_cursor = session::make_cursor(secret, query, places.back().position);
  }
  if (!places.empty()) {
    HF_TRY(page.items, load(connection, places));
  }
  return page;
}

}  // namespace holdfast::store::postgres
