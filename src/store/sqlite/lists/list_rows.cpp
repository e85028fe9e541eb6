#include "store/sqlite/lists/bucket_walk.h"
#include "store/sqlite/rows/tables.h"
#include "store/tables/condition.h"
#include "store/tables/order.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace holdfast::store {

using session::Page;
using session::Position;
using session::Query;

namespace {

Result<std::int64_t> count_all(Db& db, const Condition& where) {
  HF_TRY(const auto count,
         db.first<std::int64_t>(fmt::format("SELECT count(*) FROM sessions AS s WHERE {}", where.sql),
                                {where.values.begin(), where.values.end()}, [](const Columns& row) { return row.integer(0); }));
  return count.value_or(0);
}

Result<std::vector<Place>> find_places(Db& db, const Query& query, const Condition& where, const std::optional<Position>& after) {
  const SqlStatement statement = select_places(query, where, after);
  const std::size_t keys = order_of(query).keys.size();
  return db.all<Place>(statement.sql, statement.values, [&](const Columns& columns) { return read_place(columns, keys); });
}

// From the buckets as far as they know, else from the sessions themselves.
Result<Found> find_page(Db& db, const Query& query, const Condition& where, const std::optional<Position>& after) {
  HF_TRY(auto buckets, read_buckets(db));
  std::optional<Selection> selection;
  if (buckets) {
    HF_TRY(selection, select_buckets(db, query, *std::move(buckets)));
  }
  Found found;
  if (query.count) {
    std::optional<std::int64_t> total;
    if (selection) {
      HF_TRY(total, count_selected(db, query, *selection));
    }
    if (!total) {
      HF_TRY(total, count_all(db, where));
    }
    found.total = *total;
  }
  if (selection && worth_walking(query, *selection)) {
    HF_TRY(found.places, walk_buckets(db, query, *selection, after));
  } else {
    HF_TRY(found.places, find_places(db, query, where, after));
  }
  return found;
}

// The same when some page of the table is damaged, so that a statement over all rows fails: asks for every session
// by itself, found through the index on the id. Those that cannot be read come first, whatever the filters say: a
// damaged session must not disappear from lists. Slow, and rare.
Result<Found> rescue_places(Db& db, const Query& query, const Condition& where, const std::optional<Position>& after) {
  using Known = std::pair<std::int64_t, std::string>;
  HF_TRY(const auto all, db.all<Known>("SELECT key, id FROM sessions ORDER BY id", {},
                                       [](const Columns& row) { return Known(row.integer(0), row.text(1)); }));
  const Order order = order_of(query);
  Found rescued;
  rescued.total = 0;
  for (const auto& [key, id] : all) {
    Condition one = where;
    one.add_value("s.key = ?", key);
    Query whole = query;
    whole.offset = 0;
    auto found = find_places(db, whole, one, std::nullopt);
    if (!found && found.error().kind != ErrorKind::corrupt) return fail(std::move(found).error());
    Place place{key, {{}, id}};
    if (!found) {
      place.position.keys.fill(order.descending ? std::numeric_limits<std::int64_t>::max() : 0);
    } else if (!found->empty()) {
      place = std::move(found->front());
    } else {
      continue;
    }
    ++rescued.total;
    if (!after || order.before(*after, place.position)) rescued.places.push_back(std::move(place));
  }
  std::ranges::sort(rescued.places, [&](const Place& a, const Place& b) { return order.before(a.position, b.position); });
  const std::size_t skipped = std::min(query.offset, rescued.places.size());
  rescued.places.erase(rescued.places.begin(), rescued.places.begin() + static_cast<std::ptrdiff_t>(skipped));
  if (rescued.places.size() > query.limit + 1) rescued.places.resize(query.limit + 1);
  return rescued;
}

// A record whose pages cannot be read is still an item of the list: what is known is its id.
Result<session::SessionRecord> load_item(SqliteTables& tables, const Place& place) {
  auto row = tables.find_row_by_key(place.key);
  Result<void> rest;
  if (row && *row) rest = tables.load_rest(**row);
  if (row && *row && rest) return std::move((*row)->record);
  for (const Error* error : {row ? nullptr : &row.error(), rest ? nullptr : &rest.error()}) {
    if (error != nullptr && error->kind != ErrorKind::corrupt) return fail(*error);
  }
  session::SessionRecord record;
  if (row && *row) record = std::move((*row)->record);
  record.id = place.position.id;
  record.damage = "the pages that hold this record are damaged";
  return record;
}

}  // namespace

Result<Page> SqliteTables::list(const Query& query) {
  const auto find = [&](const std::optional<Position>& after) {
    const Condition where = conditions_of(query, kSqliteHasText);
    auto found = find_page(db_, query, where, after);
    if (!found && found.error().kind == ErrorKind::corrupt) found = rescue_places(db_, query, where, after);
    return found;
  };
  return list_page(query, secret_, find, [&](const std::vector<Place>& places) -> Result<std::vector<session::SessionRecord>> {
    std::vector<session::SessionRecord> items;
    for (const Place& place : places) {
      HF_TRY(auto record, load_item(*this, place));
      items.push_back(std::move(record));
    }
    return items;
  });
}

}  // namespace holdfast::store
