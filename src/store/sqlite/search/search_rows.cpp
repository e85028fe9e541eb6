#include "store/sqlite/search/search_rows.h"

#include "base/text/text.h"
#include "store/sqlite/rows/tables.h"
#include "store/sqlite/search/record_search.h"
#include "store/tables/condition.h"
#include "store/tables/event_hub.h"

#include <fmt/format.h>

#include <optional>
#include <unordered_map>

namespace holdfast::store {

using session::SearchHit;
using session::SearchQuery;

namespace {

struct HitPlace {
  std::string id;
  std::string kind;
  std::string title;
  std::size_t hits = 0;
};

class Search {
 public:
  Search(Db& db, TextIndex& index, const std::vector<Segment>& segments, const SearchQuery& query)
      : db_(db),
        index_(index),
        segments_(segments),
        query_(query),
        words_(query.text, query.as_typed, query.codes_are_words),
        where_(conditions_of(query)) {}

  Result<SearchOutcome> run() {
    HF_CHECK(session::check_search(query_));
    if (words_.empty()) return std::move(outcome_);
    if (!query_.session.empty()) {
      HF_TRY(only_, db_.number("SELECT key FROM sessions WHERE id = ?", query_.session));
      if (!only_) return std::move(outcome_);
    }
    if (!query_.entries_only) HF_CHECK(search_records());
    HF_CHECK(query_.session.empty() ? search_everywhere() : scan_session());
    return std::move(outcome_);
  }

 private:
  bool full() const { return outcome_.result.more; }

  // The session, when the filters allow it; null otherwise. Looked up when something in it fits: a store has many more sessions
  // than a search has candidates. A pointer stays good until the end of the search.
  Result<HitPlace*> find_place(std::int64_t session) {
    const auto [known, fresh] = sessions_.try_emplace(session);
    if (fresh) {
      HF_TRY(auto rows,
             db_.query(fmt::format("SELECT s.id, s.kind, s.title FROM sessions AS s WHERE s.key = ? AND {}", where_.sql)));
      int index = 0;
      rows.bind(++index, session);
      bind_values(rows, index, where_.values);
      HF_TRY(const bool allowed, rows.next());
      if (allowed) known->second = HitPlace{std::string(rows.text(0)), std::string(rows.text(1)), std::string(rows.text(2)), 0};
    }
    return known->second ? &*known->second : nullptr;
  }

  // Takes a hit, or notes that there was one more than wanted. False: stop.
  bool take(HitPlace& place, SearchHit hit) {
    if (place.hits >= query_.per_session) return true;
    if (outcome_.result.hits.size() >= query_.limit) {
      outcome_.result.more = true;
      return false;
    }
    ++place.hits;
    hit.session = place.id;
    hit.kind = place.kind;
    hit.title = place.title;
    outcome_.result.hits.push_back(std::move(hit));
    return true;
  }

  Result<void> search_records() {
    if (!session::has_role(query_, search::PassageRole::title)) return {};
    const RecordQuestion question{query_, words_, where_, segments_};
    RecordSearch records(db_, index_, question);
    const auto on_record = [&](const FoundRecord& found) -> Result<bool> {
      if (!session::is_in_time(query_, found.updated_at)) return true;
      auto match = words_.match(search::PassageRole::title, found.text);
      if (!match) return true;
      HF_TRY(HitPlace* const place, find_place(found.session));
      if (place == nullptr) return true;
      SearchHit hit;
      hit.time = found.updated_at;
      session::show_match(hit, words_, found.text, *std::move(match));
      return take(*place, std::move(hit));
    };
    HF_CHECK(only_ ? records.run(*only_, on_record) : records.run(on_record));
    outcome_.scanned_bytes += records.scanned_bytes();
    return {};
  }

  // One row of: sequence, session, seq, lane, number, type, time, text, redacted, data.
  static constexpr std::string_view kColumns = "sequence, session, seq, lane, number, type, time, text, salt IS NULL, data";

  Result<bool> consider(const Rows& rows) {
    if (rows.integer(8) != 0 || !session::is_in_time(query_, rows.integer(6))) return true;
    const search::PassageRole role = session::role_of_entry(rows.text(5), rows.text(9));
    if (!session::has_role(query_, role)) return true;
    auto match = words_.match(role, rows.text(7));
    if (!match) return true;
    HF_TRY(HitPlace* const place, find_place(rows.integer(1)));
    if (place == nullptr || place->hits >= query_.per_session) return true;
    SearchHit hit;
    hit.seq = rows.integer(2);
    hit.lane = rows.text(3);
    hit.number = rows.integer(4);
    hit.type = rows.text(5);
    hit.time = rows.integer(6);
    hit.role = role;
    session::show_match(hit, words_, rows.text(7), *std::move(match));
    SessionRow row;
    row.key = rows.integer(1);
    row.record.id = place->id;
    HF_TRY(const auto whole, SqliteTables(db_).find_entry(row, hit.seq));
    if (whole && whole->damage) session::show_damage(hit, *whole->damage);
    return take(*place, std::move(hit));
  }

  Result<void> scan(Rows rows) {
    while (!full()) {
      HF_TRY(const bool more, rows.next());
      if (!more) return {};
      outcome_.scanned_bytes += rows.text(7).size();
      HF_CHECK(consider(rows));
    }
    return {};
  }

  Result<void> scan_range(std::int64_t first, std::int64_t last) {
    static const std::string sql =
        fmt::format("SELECT {} FROM entries WHERE sequence BETWEEN ? AND ? ORDER BY sequence DESC", kColumns);
    HF_TRY(auto rows, db_.query(sql, first, last));
    return scan(std::move(rows));
  }

  Result<void> scan_session() {
    static const std::string sql = fmt::format("SELECT {} FROM entries WHERE session = ? ORDER BY seq DESC", kColumns);
    HF_TRY(auto rows, db_.query(sql, *only_));
    HF_CHECK(scan(std::move(rows)));
    outcome_.scanned_bytes = 0;  // says nothing about the index
    return {};
  }

  Result<void> search_segment(const Segment& segment) {
    static const std::string sql = fmt::format("SELECT {} FROM entries WHERE sequence = ?", kColumns);
    Result<void> trouble;
    const bool usable = index_.find(segment, Indexed::entries, words_.terms(), [&](std::int64_t sequence) {
      const auto look = [&]() -> Result<bool> {
        HF_TRY(auto rows, db_.query(sql, sequence));
        HF_TRY(const bool found, rows.next());
        if (!found) return true;
        return consider(rows);
      };
      auto go_on = look();
      if (!go_on) trouble = fail(std::move(go_on).error());
      return trouble && *go_on;
    });
    HF_CHECK(std::move(trouble));
    if (!usable) return scan_range(segment.first, segment.last);
    return {};
  }

  Result<void> search_everywhere() {
    HF_TRY(std::int64_t last, read_last_sequence(db_));
    for (const Segment& segment : segments_) {
      if (full()) return {};
      if (segment.last < last) HF_CHECK(scan_range(segment.last + 1, last));
      if (!full()) HF_CHECK(search_segment(segment));
      last = segment.first - 1;
    }
    if (!full() && last >= 1) HF_CHECK(scan_range(1, last));
    return {};
  }

  Db& db_;
  TextIndex& index_;
  const std::vector<Segment>& segments_;
  const SearchQuery& query_;
  search::TextSearch words_;
  const Condition where_;
  std::optional<std::int64_t> only_;                                    // the session asked for
  std::unordered_map<std::int64_t, std::optional<HitPlace>> sessions_;  // those looked up so far
  SearchOutcome outcome_;
};

}  // namespace

Result<SearchOutcome> search_sessions(Db& db, TextIndex& index, const std::vector<Segment>& segments, const SearchQuery& query) {
  return Search(db, index, segments, query).run();
}

}  // namespace holdfast::store
