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
  Search(Db& db, StoreIndex& index, const SearchQuery& query)
      : db_(db),
        index_(index),
        query_(query),
        words_(query.text, query.as_typed, query.codes_are_words),
        where_(conditions_of(query)) {}

  Result<SearchOutcome> run() {
    HF_CHECK(session::check_search(query_));
    if (words_.empty()) return std::move(outcome_);
    if (query_.session.empty()) {
      HF_TRY(division_, index_.divide(db_));
    } else {
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
    const RecordQuestion question{query_, words_, where_, division_};
    RecordSearch records(db_, question);
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

  Result<void> consider_all(Rows rows, bool indexed) {
    while (!full()) {
      HF_TRY(const bool more, rows.next());
      if (!more) return {};
      if (!indexed) outcome_.scanned_bytes += rows.text(7).size();
      HF_CHECK(consider(rows));
    }
    return {};
  }

  Result<void> scan_session() {
    static const std::string sql = fmt::format("SELECT {} FROM entries WHERE session = ? ORDER BY seq DESC", kColumns);
    HF_TRY(auto rows, db_.query(sql, *only_));
    return consider_all(std::move(rows), true);  // that it is not by the index says nothing about the index
  }

  Result<void> search_everywhere() {
    static const std::string sql =
        fmt::format("SELECT {} FROM entries WHERE sequence BETWEEN ? AND ? ORDER BY sequence DESC", kColumns);
    search::TextQuery asked;
    asked.clauses = words_.query().clauses;
    asked.roles = query_.roles;
    asked.since = query_.since;
    asked.until = query_.until;
    search::Places places(division_, kEntryRows, asked);
    while (!full()) {
      const auto range = places.next();
      if (!range) return {};
      HF_TRY(auto rows, db_.query(sql, static_cast<std::int64_t>(range->from), static_cast<std::int64_t>(range->to) - 1));
      HF_CHECK(consider_all(std::move(rows), range->indexed));
    }
    return {};
  }

  Db& db_;
  StoreIndex& index_;
  const SearchQuery& query_;
  search::TextSearch words_;
  const Condition where_;
  std::optional<std::int64_t> only_;                                    // the session asked for
  std::shared_ptr<const search::Division> division_;                    // of the index, when none is
  std::unordered_map<std::int64_t, std::optional<HitPlace>> sessions_;  // those looked up so far
  SearchOutcome outcome_;
};

}  // namespace

Result<SearchOutcome> search_sessions(Db& db, StoreIndex& index, const SearchQuery& query) {
  return Search(db, index, query).run();
}

}  // namespace holdfast::store
