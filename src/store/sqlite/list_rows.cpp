#include "store/sqlite/list_rows.h"

#include "base/text.h"
#include "session/cursor.h"
#include "session/display.h"
#include "store/sqlite/record_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <tuple>

namespace holdfast::store {

using session::Page;
using session::Position;
using session::Query;
using session::Sort;
using session::Visibility;

namespace {

std::string marks(std::size_t count) {
  std::string out = "(";
  for (std::size_t i = 0; i < count; ++i) out += i == 0 ? "?" : ",?";
  return out + ")";
}

// What is asked for is what is shown (design 8.6).
void add_statuses(Condition& where, const Query& query) {
  const bool only_live = query.visibilities == std::vector{Visibility::live};
  if (query.statuses.empty() || only_live) return where.add_any("s.status", query.statuses);
  std::string kinds, shown = "CASE";
  for (std::string_view kind : session::kVisibilityAsStatus) kinds += fmt::format("{}'{}'", kinds.empty() ? "" : ",", kind);
  for (const Visibility hidden : {Visibility::archived, Visibility::deleted})
    shown +=
        fmt::format(" WHEN s.visibility = {} AND s.kind IN ({}) THEN '{}'", static_cast<int>(hidden), kinds, name_of(hidden));
  where.add_any(shown + " ELSE s.status END", query.statuses);
}

Condition conditions_of(const Query& query) {
  Condition where;
  where.add_any("s.kind", query.kinds);
  where.add_roots(query.roots, query.rootless);
  add_statuses(where, query);
  where.add_visibilities(query.visibilities);
  if (query.pinned) where.add(*query.pinned ? "s.pinned = 1" : "s.pinned = 0");
  for (const std::string& tag : query.tags) where.add_value("s.key IN (SELECT session FROM tags WHERE tag = ?)", tag);
  const auto equal = [&](std::string_view column, const std::optional<std::string>& value) {
    if (value) where.add_any(column, {*value});
  };
  equal("s.project", query.project);
  equal("s.task", query.task);
  equal("s.aspect", query.aspect);
  where.add_any("s.aspect", query.aspects);
  if (!query.text.empty()) {
    where.add_value("s.key IN (SELECT session FROM session_texts WHERE instr(folded, ?) > 0)", fold_case(query.text));
  }
  if (query.updated_since) where.add_value("s.updated_at >= ?", *query.updated_since);
  if (query.updated_before) where.add_value("s.updated_at < ?", *query.updated_before);
  if (query.due_before) where.add_value("s.due_at <= ?", *query.due_before);
  where.add_principal(query.principal);
  return where;
}

// The order as a list of expressions that are all compared in the same direction, the id last.
struct Order {
  std::vector<std::string> keys;
  bool descending = true;
  std::vector<std::string> texts;  // bound once for every use of the keys

  std::string columns() const { return fmt::format("{}", fmt::join(keys, ", ")); }
  std::string by() const {
    std::string out;
    for (const std::string& key : keys) out += fmt::format("{}{}, ", key, descending ? " DESC" : "");
    return out + (descending ? "s.id DESC" : "s.id");
  }
};

Order order_of(const Query& query) {
  switch (query.sort) {
    case Sort::updated:
      return {{"s.updated_at"}, true, {}};
    case Sort::created:
      return {{"s.created_at"}, true, {}};
    case Sort::due:
      return {{fmt::format("ifnull(s.due_at, {})", std::numeric_limits<std::int64_t>::max())}, false, {}};
    case Sort::resume:
      return {{"s.pinned", fmt::format("s.status IN {}", marks(query.prefer_status.size())), "s.updated_at", "s.created_at"},
              true,
              query.prefer_status};
  }
  return {{"s.updated_at"}, true, {}};
}

void bind_all(Rows& rows, int& index, const std::vector<std::string>& texts) {
  for (const std::string& text : texts) rows.bind(++index, text);
}

Result<std::int64_t> count_all(Db& db, const Condition& where) {
  HF_TRY(auto rows, db.query(fmt::format("SELECT count(*) FROM sessions AS s WHERE {}", where.sql)));
  int index = 0;
  where.bind_to(rows, index);
  HF_TRY(const bool found, rows.next());
  return found ? rows.integer(0) : 0;
}

struct Place {
  std::int64_t key = 0;
  Position position;
};

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
  where.bind_to(rows, index);
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

// The same when some page of the table is damaged, so that a statement over all rows fails: asks for every session
// by itself, found through the index on the id. Those that cannot be read come first, whatever the filters say: a
// damaged session must not disappear from lists. Slow, and rare.
struct Rescued {
  std::vector<Place> places;
  std::int64_t total = 0;
};
Result<Rescued> rescue_places(Db& db, const Query& query, const Condition& where, const std::optional<Position>& after) {
  std::vector<std::pair<std::int64_t, std::string>> all;
  {
    HF_TRY(auto rows, db.query("SELECT key, id FROM sessions ORDER BY id"));
    while (true) {
      HF_TRY(const bool more, rows.next());
      if (!more) break;
      all.emplace_back(rows.integer(0), rows.text(1));
    }
  }
  const bool descending = order_of(query).descending;
  const auto before = [&](const Position& a, const Position& b) {
    return descending ? std::tie(b.keys, b.id) < std::tie(a.keys, a.id) : std::tie(a.keys, a.id) < std::tie(b.keys, b.id);
  };
  Rescued rescued;
  for (const auto& [key, id] : all) {
    Condition one = where;
    one.add_value("s.key = ?", key);
    Query whole = query;
    whole.offset = 0;
    auto found = find_places(db, whole, one, std::nullopt);
    if (!found && found.error().kind != ErrorKind::corrupt) return fail(std::move(found).error());
    Place place{key, {{}, id}};
    if (!found) {
      place.position.keys.fill(descending ? std::numeric_limits<std::int64_t>::max() : 0);
    } else if (!found->empty()) {
      place = std::move(found->front());
    } else {
      continue;
    }
    ++rescued.total;
    if (!after || before(*after, place.position)) rescued.places.push_back(std::move(place));
  }
  std::ranges::sort(rescued.places, before, &Place::position);
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

void Condition::add_any(std::string_view column, const std::vector<std::string>& any_of) {
  if (any_of.empty()) return;
  add(fmt::format("{} IN {}", column, marks(any_of.size())));
  values.insert(values.end(), any_of.begin(), any_of.end());
}

void Condition::add_roots(const std::vector<std::string>& roots, bool rootless) {
  if (roots.empty()) return;
  add(fmt::format("(s.key IN (SELECT session FROM roots WHERE root IN {}){})", marks(roots.size()),
                  rootless ? " OR NOT EXISTS (SELECT 1 FROM roots WHERE session = s.key)" : ""));
  values.insert(values.end(), roots.begin(), roots.end());
}

void Condition::add_visibilities(const std::vector<Visibility>& visibilities) {
  if (visibilities.empty()) return add(fmt::format("s.visibility <> {}", static_cast<int>(Visibility::deleted)));
  std::string list;
  for (Visibility each : visibilities) list += fmt::format("{}{}", list.empty() ? "" : ",", static_cast<int>(each));
  add(fmt::format("s.visibility IN ({})", list));
}

void Condition::add_value(std::string_view condition, Value value) {
  add(condition);
  values.push_back(std::move(value));
}

void Condition::bind_to(Rows& rows, int& index) const {
  for (const Value& value : values) {
    std::visit([&](const auto& each) { rows.bind(++index, each); }, value);
  }
}

void Condition::add_principal(const std::optional<std::string>& principal) {
  if (principal) add_any("s.principal", {*principal});
}

Result<Page> list_sessions(Db& db, const Query& query, std::string_view secret) {
  HF_CHECK(session::check_query(query));
  std::optional<Position> after;
  if (!query.cursor.empty()) {
    HF_TRY(after, session::read_cursor(secret, query));
  }
  const Condition where = conditions_of(query);
  Page page;
  std::vector<Place> places;
  Result<std::int64_t> total = session::kNotCounted;
  if (query.count) total = count_all(db, where);
  auto found = find_places(db, query, where, after);
  if (total && found) {
    page.total = *total;
    places = *std::move(found);
  } else {
    const Error& error = total ? found.error() : total.error();
    if (error.kind != ErrorKind::corrupt) return fail(error);
    HF_TRY(auto rescued, rescue_places(db, query, where, after));
    page.total = query.count ? rescued.total : session::kNotCounted;
    places = std::move(rescued.places);
  }
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
