#include "store/sqlite/lists/list_rows.h"

#include "session/query/cursor.h"
#include "store/sqlite/lists/bucket_walk.h"
#include "store/sqlite/rows/record_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace holdfast::store {

using session::Page;
using session::Position;
using session::Query;

namespace {

void bind_all(Rows& rows, int& index, const std::vector<std::string>& texts) {
  for (const std::string& text : texts) rows.bind(++index, text);
}

Result<std::int64_t> count_all(Db& db, const Condition& where) {
  HF_TRY(auto rows, db.query(fmt::format("SELECT count(*) FROM sessions AS s WHERE {}", where.sql)));
  int index = 0;
  bind_values(rows, index, where.values);
  HF_TRY(const bool found, rows.next());
  return found ? rows.integer(0) : 0;
}

// The places of one page and, when there is one, of the item behind it.
Result<std::vector<Place>> find_places(Db& db, const Query& query, const Condition& where, const std::optional<Position>& after) {
  const Order order = order_of(query);
  std::string sql = fmt::format("SELECT s.key, s.id, {} FROM sessions AS s WHERE {}", order.columns(), where.sql);
  if (after) {
    sql += fmt::format(" AND ({}, s.id) {} ({}?)", order.columns(), order.descending ? "<" : ">",
                       fmt::format("{}", fmt::join(std::vector<std::string>(order.keys.size(), "?, "), "")));
  }
  sql += fmt::format(" ORDER BY {} LIMIT ? OFFSET ?", order.by());

  HF_TRY(auto rows, db.query(sql));
  int index = 0;
  bind_all(rows, index, order.texts);
  bind_values(rows, index, where.values);
  if (after) {
    bind_all(rows, index, order.texts);
    for (std::size_t i = 0; i < order.keys.size(); ++i) rows.bind(++index, after->keys[i]);
    rows.bind(++index, after->id);
  }
  bind_all(rows, index, order.texts);
  rows.bind(++index, query.limit + 1);
  rows.bind(++index, query.offset);

  std::vector<Place> places;
  while (true) {
    HF_TRY(const bool more, rows.next());
    if (!more) return places;
    Place& place = places.emplace_back();
    place.key = rows.integer(0);
    place.position.id = rows.text(1);
    for (std::size_t i = 0; i < order.keys.size(); ++i) place.position.keys[i] = rows.integer(static_cast<int>(i) + 2);
  }
}

// From the catalogue when there is one, from the buckets as far as they know, else from the sessions themselves.
Result<Found> find_page(Db& db, const Query& query, const Condition& where, const std::optional<Position>& after,
                        Catalogue* catalogue) {
  const bool for_catalogue = catalogue != nullptr && Catalogue::serves(query);
  if (for_catalogue) {
    HF_TRY(auto found, catalogue->find(db, query, after));
    if (found) return *std::move(found);
  }
  HF_TRY(auto buckets, read_buckets(db));
  const std::int64_t all = buckets ? sum_of(*buckets) : 0;
  std::optional<Selection> selection;
  if (buckets) {
    HF_TRY(selection, select_buckets(db, query, *std::move(buckets)));
  }
  const bool looks_at_sessions = !selection || !selection->rest.empty() || !query.roots.empty();
  if (for_catalogue && looks_at_sessions) catalogue->charge(selection ? sum_of(selection->buckets) : all);
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
  std::vector<std::pair<std::int64_t, std::string>> all;
  {
    HF_TRY(auto rows, db.query("SELECT key, id FROM sessions ORDER BY id"));
    while (true) {
      HF_TRY(const bool more, rows.next());
      if (!more) break;
      all.emplace_back(rows.integer(0), rows.text(1));
    }
  }
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
Result<session::SessionRecord> load_item(Db& db, const Place& place) {
  auto row = find_row(db, place.key);
  Result<void> rest;
  if (row && *row) rest = load_rest(db, **row);
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

Result<Page> list_sessions(Db& db, const Query& query, std::string_view secret, Catalogue* catalogue) {
  HF_CHECK(session::check_query(query));
  std::optional<Position> after;
  if (!query.cursor.empty()) {
    HF_TRY(after, session::read_cursor(secret, query));
  }
  const Condition where = conditions_of(query, kSqliteHasText);
  Page page;
  auto found = find_page(db, query, where, after, catalogue);
  if (!found) {
    if (found.error().kind != ErrorKind::corrupt) return fail(std::move(found).error());
    found = rescue_places(db, query, where, after);
    if (!found) return fail(std::move(found).error());
  }
  page.total = query.count ? found->total : session::kNotCounted;
  std::vector<Place>& places = found->places;
  if (places.size() > query.limit) {
    places.resize(query.limit);
    page.next_cursor = session::make_cursor(secret, query, places.back().position);
  }
  for (const Place& place : places) {
    HF_TRY(auto record, load_item(db, place));
    page.items.push_back(std::move(record));
  }
  return page;
}

}  // namespace holdfast::store
