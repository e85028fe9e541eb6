#include "session/kinds.h"
#include "session/query/cursor.h"
#include "store/postgres/rows/read_tables.h"
#include "store/postgres/rows/whole_row.h"
#include "store/tables/order.h"

#include <fmt/format.h>

#include <map>

namespace holdfast::store::postgres {

using session::Page;
using session::Position;
using session::Query;

namespace {

// Whether session_counts (schema.cpp) has all the columns the conditions ask for.
bool is_counted(const Query& query) {
  const bool by_aspect = query.aspect || !query.aspects.empty();
  return query.roots.empty() && query.tags.empty() && !query.project && !query.task && query.text.empty() &&
         !query.updated_since && !query.updated_before && !query.due_before &&
         (!by_aspect || query.kinds == std::vector<std::string>{std::string(session::kThread)});
}

SqlStatement count_all(const Query& query, const Condition& where) {
  return {is_counted(query)
              ? fmt::format("SELECT coalesce(sum(s.sessions), 0)::int8 FROM session_counts AS s WHERE {}", where.sql)
              : fmt::format("SELECT count(*) FROM sessions AS s WHERE {}", where.sql),
          {where.values.begin(), where.values.end()}};
}

Result<std::vector<session::SessionRecord>> load(Connection& connection, const std::vector<Place>& places) {
  std::vector<std::int64_t> keys;
  for (const Place& place : places) keys.push_back(place.key);
  HF_TRY(const Answer rows, connection.ask(select_whole_rows(keys)));
  std::map<std::int64_t, session::SessionRecord> found;
  for (int i = 0; i < rows.size(); ++i) {
    SessionRow row = decode_whole_row(rows[i]);
    found.emplace(row.key, std::move(row.record));
  }
  std::vector<session::SessionRecord> records;
  for (const Place& place : places) records.push_back(std::move(found[place.key]));
  return records;
}

}  // namespace

Result<Page> ReadTables::list(const Query& query) {
  HF_CHECK(session::check_query(query));
  std::optional<Position> after;
  if (!query.cursor.empty()) {
    HF_TRY(after, session::read_cursor(secret_, query));
  }
  const Condition where = conditions_of(query, kPostgresHasText);
  Page page;
  const std::size_t at = connection_.queue(select_places(query, where, after));
  if (query.count) connection_.queue(count_all(query, where));
  HF_TRY(const auto answers, connection_.flush());
  page.total = query.count ? answers[at + 1][0].integer(0) : session::kNotCounted;
  std::vector<Place> places;
  const std::size_t keys = order_of(query).keys.size();
  for (int i = 0; i < answers[at].size(); ++i) places.push_back(read_place(answers[at][i], keys));
  if (places.size() > query.limit) {
    places.resize(query.limit);
    page.next_cursor = session::make_cursor(secret_, query, places.back().position);
  }
  if (!places.empty()) {
    HF_TRY(page.items, load(connection_, places));
  }
  return page;
}

}  // namespace holdfast::store::postgres
