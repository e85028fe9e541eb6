#include "store/sqlite/lists/bucket_walk.h"

#include "session/query/display.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

namespace holdfast::store {

using session::Position;
using session::Query;
using session::Visibility;

namespace {

template <class T>
bool among(const std::vector<T>& any_of, const T& value) {
  return any_of.empty() || std::ranges::find(any_of, value) != any_of.end();
}

std::string status_shown(const Bucket& bucket) {
  session::SessionRecord record;
  record.kind = bucket.kind;
  record.status = bucket.status;
  record.visibility = static_cast<Visibility>(bucket.visibility);
  return session::shown_status(record);
}

using BucketCounts = std::map<std::int64_t, std::int64_t>;  // by bucket

Result<void> add_counts(Db& db, std::string_view sql, const std::vector<std::string>& roots, BucketCounts& counts) {
  return db.each(sql, {roots.begin(), roots.end()}, [&](const Columns& row) {
    counts[row.integer(0)] += row.integer(1);
    return true;
  });
}

// How many sessions of each bucket are found under the roots.
Result<BucketCounts> count_roots(Db& db, const Query& query) {
  const auto roots = stored_roots(query.roots, query.rootless);
  BucketCounts counts;
  if (query.roots.size() > 1) {
    const std::string sql =
        fmt::format("SELECT shelf, count(DISTINCT session) FROM roots WHERE root IN {} GROUP BY shelf", marks(roots.size()));
    HF_CHECK(add_counts(db, sql, roots, counts));
    return counts;
  }
  // No session has a root and none: one after the other they are counted in the order of the index.
  for (const std::string& root : roots) {
    HF_CHECK(add_counts(db, "SELECT shelf, count(*) FROM roots WHERE root = ? GROUP BY shelf", {root}, counts));
  }
  return counts;
}

// A page grows bucket by bucket: each is asked only for what comes before the last place so far.
class Walk {
  using Limits = std::numeric_limits<std::int64_t>;

 public:
  Walk(Db& db, const Query& query, const Selection& selection, const std::optional<Position>& after)
      : db_(db), query_(query), selection_(selection), after_(after), order_(order_of(query)), where_(selection.rest) {
    where_.add_roots_of_row(query.roots, query.rootless);
    wanted_ = query.offset + query.limit + 1;
    const std::string keys = order_.columns(order_.bucket_keys);
    const std::string values = marks(order_.keys.size() - order_.bucket_keys + 1);
    const auto [later, earlier] = order_.descending ? std::pair("<", ">") : std::pair(">", "<");
    limit_first_key();
    sql_ = fmt::format(
        "SELECT s.key, s.id, {0} FROM sessions AS s INDEXED BY {1} WHERE s.shelf = ? AND ({0}, s.id) {2} {4} AND ({0}, s.id) {3} "
        "{4} AND {5} ORDER BY {6} LIMIT ?",
        keys, order_.index, later, earlier, values, where_.sql, order_.by(order_.bucket_keys));
  }

  Result<std::vector<Place>> run() {
    std::vector<std::pair<Position, const Bucket*>> buckets;
    for (const Bucket& bucket : selection_.buckets) buckets.emplace_back(bucket_position(query_, bucket), &bucket);
    // Buckets that come first by themselves first: they may fill the page.
    std::ranges::sort(buckets, [&](const auto& a, const auto& b) { return order_.before(a.first, b.first); });
    for (const auto& [position, bucket] : buckets) HF_CHECK(visit(position, *bucket));
    places_.erase(places_.begin(), places_.begin() + static_cast<std::ptrdiff_t>(std::min(query_.offset, places_.size())));
    return std::move(places_);
  }

 private:
  // How the keys of the bucket compare with those of a place in the order: -1 before, 0 the same, 1 behind it.
  int side(const Position& bucket, const Position& place) const {
    for (std::size_t i = 0; i < order_.bucket_keys; ++i) {
      if (bucket.keys[i] != place.keys[i]) return (bucket.keys[i] > place.keys[i]) == order_.descending ? -1 : 1;
    }
    return 0;
  }

  // What the query asks of the first key of the index is where the ranges begin and end, so that nothing else is looked at.
  void limit_first_key() {
    const std::string& key = order_.keys[order_.bucket_keys];
    if (key == "s.due_key" && query_.due_before) highest_ = *query_.due_before;
    if (key != "s.updated_at") return;
    if (query_.updated_since) lowest_ = *query_.updated_since;
    if (query_.updated_before) highest_ = std::max(*query_.updated_before, Limits::min() + 1) - 1;
  }

  // All that there is lies below {highest, ..., a blob} and above {lowest, ..., ""}: to SQLite a blob is more than any text.
  void add_open(SqlValues& values, bool highest) const {
    values.emplace_back(highest ? highest_ : lowest_);
    values.resize(values.size() + order_.keys.size() - order_.bucket_keys - 1, highest ? Limits::max() : Limits::min());
    values.push_back(highest ? SqlValue(Blob{}) : SqlValue(std::string_view()));
  }
  void add_place(SqlValues& values, const Position& place) const {
    values.insert(values.end(), place.keys.begin() + static_cast<std::ptrdiff_t>(order_.bucket_keys),
                  place.keys.begin() + static_cast<std::ptrdiff_t>(order_.keys.size()));
    values.emplace_back(place.id);
  }

  Result<void> visit(const Position& position, const Bucket& bucket) {
    const bool full = places_.size() >= wanted_;
    const int beside_cursor = after_ ? side(position, *after_) : 1;
    const int beside_last = full ? side(position, places_.back().position) : -1;
    if (beside_cursor < 0 || beside_last > 0) return {};
    SqlValues values{bucket.number};
    if (beside_cursor == 0) {
      add_place(values, *after_);
    } else {
      add_open(values, order_.descending);
    }
    const Position last = full ? places_.back().position : Position();
    if (beside_last == 0) {
      add_place(values, last);
    } else {
      add_open(values, !order_.descending);
    }
    values.insert(values.end(), where_.values.begin(), where_.values.end());
    values.emplace_back(wanted_);
    HF_CHECK(db_.each(sql_, values, [&](const Columns& row) {
      Place& place = places_.emplace_back(row.integer(0), position);
      place.position.id = row.text(1);
      for (std::size_t i = order_.bucket_keys; i < order_.keys.size(); ++i) {
        place.position.keys[i] = row.integer(static_cast<int>(i - order_.bucket_keys) + 2);
      }
      return true;
    }));
    std::ranges::sort(places_, [&](const Place& a, const Place& b) { return order_.before(a.position, b.position); });
    if (places_.size() > wanted_) places_.resize(wanted_);
    return {};
  }

  Db& db_;
  const Query& query_;
  const Selection& selection_;
  const std::optional<Position>& after_;
  const Order order_;
  Condition where_;
  std::string sql_;
  std::size_t wanted_ = 0;
  std::int64_t lowest_ = Limits::min();
  std::int64_t highest_ = Limits::max();
  std::vector<Place> places_;  // the best so far, in order
};

}  // namespace

bool bucket_fits(const Bucket& bucket, const Query& query) {
  const auto visibility = static_cast<Visibility>(bucket.visibility);
  const bool visible = query.visibilities.empty() ? visibility != Visibility::deleted : among(query.visibilities, visibility);
  if (!visible || !among(query.kinds, bucket.kind)) return false;
  if (query.principal && *query.principal != bucket.principal) return false;
  if (query.pinned && *query.pinned != bucket.pinned) return false;
  if (!query.statuses.empty() && !among(query.statuses, status_shown(bucket))) return false;
  if (!bucket.aspect) return true;
  return (!query.aspect || *query.aspect == *bucket.aspect) && among(query.aspects, *bucket.aspect);
}

Result<std::optional<Selection>> select_buckets(Db& db, const Query& query, std::vector<Bucket> buckets) {
  if (!query.text.empty() || !query.tags.empty() || query.project || query.task) return std::nullopt;
  Selection selection;
  std::erase_if(buckets, [&](const Bucket& bucket) { return bucket.sessions == 0 || !bucket_fits(bucket, query); });
  if (!query.roots.empty()) {
    HF_TRY(auto counts, count_roots(db, query));
    std::erase_if(buckets, [&](const Bucket& bucket) { return counts[bucket.number] == 0; });
    selection.all = sum_of(buckets);
    for (Bucket& bucket : buckets) bucket.sessions = counts[bucket.number];
  } else {
    selection.all = sum_of(buckets);
  }
  selection.buckets = std::move(buckets);
  selection.rest.add_times(query);
  if (std::ranges::any_of(selection.buckets, [](const Bucket& bucket) { return !bucket.aspect; })) {
    selection.rest.add_aspects(query);
  }
  return selection;
}

Result<std::optional<std::int64_t>> count_selected(Db& db, const Query& query, const Selection& selection) {
  if (selection.rest.empty()) return sum_of(selection.buckets);
  if (!query.roots.empty()) return std::nullopt;
  const std::string sql = fmt::format("SELECT count(*) FROM sessions AS s WHERE s.shelf = ? AND {}", selection.rest.sql);
  std::int64_t sum = 0;
  for (const Bucket& bucket : selection.buckets) {
    SqlValues values{bucket.number};
    values.insert(values.end(), selection.rest.values.begin(), selection.rest.values.end());
    HF_CHECK(db.each(sql, values, [&](const Columns& row) {
      sum += row.integer(0);
      return true;
    }));
  }
  return sum;
}

// Walking looks at all / found sessions for each item, when they are spread evenly; collecting looks at every one that fits.
bool worth_walking(const Query& query, const Selection& selection) {
  if (query.roots.empty()) return true;
  const auto found = static_cast<double>(sum_of(selection.buckets));
  const auto wanted = static_cast<double>(query.offset + query.limit + 1);
  return wanted * static_cast<double>(selection.all) < found * found;
}

Result<std::vector<Place>> walk_buckets(Db& db, const Query& query, const Selection& selection,
                                        const std::optional<Position>& after) {
  return Walk(db, query, selection, after).run();
}

}  // namespace holdfast::store
