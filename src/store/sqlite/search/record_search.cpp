#include "store/sqlite/search/record_search.h"

#include "store/sqlite/search/store_index.h"
#include "store/tables/session_row.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace holdfast::store {

namespace {

// Reading the two rows of a record takes as long as so much text of an entry: what decides when the index is worth feeding.
constexpr std::size_t kRecordBytes = 256;

// Sessions whose places are found at a time: more would often be found in vain, fewer make every bucket be visited more often.
constexpr std::size_t kPlacesAtOnce = 256;

// By how much a turn is longer than the one before.
constexpr std::size_t kGrowth = 4;

// What a list would have to ask for to show the same sessions.
session::Query list_of(const session::SearchQuery& search) {
  session::Query query;
  query.kinds = search.kinds;
  query.roots = search.roots;
  query.rootless = search.rootless;
  query.visibilities = search.visibilities;
  query.principal = search.principal;
  query.sort = session::Sort::updated;
  query.count = false;
  return query;
}

}  // namespace

Result<void> RecordSearch::run(const OnRecord& on_record) {
  search::TextQuery titles;
  titles.clauses = question_.words.query().clauses;
  search::Places places(question_.division, kRecordRows, titles);
  std::vector<Range> ranges;
  for (std::size_t turn = question_.first_turn;; turn *= kGrowth) {
    std::optional<Range> range;
    while (ranges.size() <= turn && (range = places.next())) ranges.push_back(*range);
    if (!range) break;
    if (!walked_) HF_CHECK(prepare_walk());
    if (!selection_) return scan_in_order(on_record);
    HF_TRY(const bool go_on, walk(turn, on_record));
    if (!go_on) return {};
  }
  HF_CHECK(look_up(ranges));
  return take_candidates(on_record);
}

Result<void> RecordSearch::run(std::int64_t session, const OnRecord& on_record) {
  HF_CHECK(consider(session, on_record));
  return {};
}

// Under a number of the index there may be no record any more: it was that of a former version. The texts of those that are
// indexed are compared when they are wanted.
Result<void> RecordSearch::look_up(const std::vector<Range>& ranges) {
  const Condition& where = question_.where;
  constexpr std::string_view kIn = "WHERE s.changed BETWEEN ? AND ? AND";
  const std::string indexed = fmt::format("SELECT s.key, s.updated_at, s.id FROM sessions AS s {} {}", kIn, where.sql);
  const std::string scanned = fmt::format(
      "SELECT s.key, s.updated_at, s.id, s.title, t.description, s.tags FROM sessions AS s JOIN session_texts AS t "
      "ON t.session = s.key {} {}",
      kIn, where.sql);
  for (const Range& range : ranges) {
    HF_TRY(auto rows, db_.query(range.indexed ? indexed : scanned, static_cast<std::int64_t>(range.from),
                                static_cast<std::int64_t>(range.to) - 1));
    int index = 2;
    bind_values(rows, index, where.values);
    while (true) {
      HF_TRY(const bool more, rows.next());
      if (!more) break;
      if (!range.indexed) {
        const std::string text = searched_text(rows.text(3), rows.text(4), rows.text(5));
        scanned_bytes_ += kRecordBytes + text.size();
        if (!question_.words.matches(text)) continue;
      }
      candidates_.push_back({rows.integer(0), rows.integer(1), std::string(rows.text(2))});
    }
  }
  return {};
}

Result<void> RecordSearch::take_candidates(const OnRecord& on_record) {
  std::ranges::sort(candidates_, [](const Candidate& a, const Candidate& b) {
    return std::tie(a.updated_at, a.id) > std::tie(b.updated_at, b.id);
  });
  for (const Candidate& each : candidates_) {
    if (walked_ && std::tie(each.updated_at, each.id) >= std::tie(walked_->keys[0], walked_->id)) continue;
    HF_TRY(const bool go_on, consider(each.session, on_record));
    if (!go_on) return {};
  }
  return {};
}

// Leaves no selection when few sessions can be meant, or when their buckets are not to be trusted.
Result<void> RecordSearch::prepare_walk() {
  along_ = list_of(question_.query);
  along_.limit = question_.first_turn;
  HF_TRY(auto buckets, read_buckets(db_));
  if (!buckets) return {};
  HF_TRY(selection_, select_buckets(db_, along_, *std::move(buckets)));
  if (selection_ && !worth_walking(along_, *selection_)) selection_.reset();
  return {};
}

Result<bool> RecordSearch::walk(std::size_t sessions, const OnRecord& on_record) {
  for (std::size_t left = sessions; left > 0; left -= along_.limit) {
    along_.limit = std::min(left, kPlacesAtOnce);
    HF_TRY(const auto places, walk_buckets(db_, along_, *selection_, walked_));
    for (std::size_t i = 0; i < std::min(places.size(), along_.limit); ++i) {
      HF_TRY(const bool go_on, consider(places[i].key, on_record));
      if (!go_on) return false;
      walked_ = places[i].position;
    }
    if (places.size() <= along_.limit) return false;
  }
  return true;
}

Result<void> RecordSearch::scan_in_order(const OnRecord& on_record) {
  const Condition& where = question_.where;
  std::vector<std::int64_t> sessions;
  {
    HF_TRY(auto rows,
           db_.query(fmt::format("SELECT s.key FROM sessions AS s WHERE {} ORDER BY s.updated_at DESC, s.id DESC", where.sql)));
    int index = 0;
    bind_values(rows, index, where.values);
    while (true) {
      HF_TRY(const bool more, rows.next());
      if (!more) break;
      sessions.push_back(rows.integer(0));
    }
  }
  for (const std::int64_t session : sessions) {
    HF_TRY(const bool go_on, consider(session, on_record));
    if (!go_on) return {};
  }
  return {};
}

Result<bool> RecordSearch::consider(std::int64_t session, const OnRecord& on_record) {
  FoundRecord found;
  {
    HF_TRY(auto rows, db_.query("SELECT s.title, t.description, s.tags, s.updated_at FROM sessions AS s JOIN session_texts AS t "
                                "ON t.session = s.key WHERE s.key = ?",
                                session));
    HF_TRY(const bool there, rows.next());
    if (!there) return true;
    found = {session, rows.integer(3), searched_text(rows.text(0), rows.text(1), rows.text(2))};
  }
  if (!question_.words.matches(found.text)) return true;
  return on_record(found);
}

}  // namespace holdfast::store
