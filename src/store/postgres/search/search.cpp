#include "store/postgres/search/search.h"

#include "session/limits.h"
#include "store/postgres/search/indexed_words.h"
#include "store/tables/condition.h"
#include "store/tables/session_row.h"

#include <fmt/format.h>

#include <limits>
#include <map>

namespace holdfast::store::postgres {

using session::SearchHit;
using session::SearchQuery;

namespace {

constexpr int kGlanced = 64;  // of the newest texts
// Along the order some twenty hits are looked for, and a row costs half of one that the index names.
constexpr int kRowsForOne = 10;
// The size that is assumed while the server does not know it yet.
constexpr int kSmallTable = 1000;

// `newest` is SQL for the words of the newest texts. It has a limit of its own, so that the condition is not looked up before it.
Statement choose_way(std::string_view table, std::string_view newest, std::string_view candidates) {
  return {fmt::format("SELECT (CASE WHEN glance.met * size.rows > {glanced} * size.worth THEN FALSE ELSE (SELECT count(*) <= "
                      "size.worth FROM (SELECT FROM {table} WHERE words @@ ?::tsquery LIMIT size.worth + 1) "
                      "AS named) END)::int::int8 FROM (SELECT rows, sqrt(rows * {for_one})::int8 AS worth FROM (SELECT "
                      "greatest(reltuples, {small})::int8 AS rows FROM pg_class WHERE oid = '{table}'::regclass) AS known) AS "
                      "size, (SELECT count(*) AS met FROM ({newest}) AS newest WHERE words @@ ?::tsquery) "
                      "AS glance",
                      fmt::arg("glanced", kGlanced), fmt::arg("table", table), fmt::arg("for_one", kRowsForOne),
                      fmt::arg("small", kSmallTable), fmt::arg("newest", newest)),
          {Param::text(std::string(candidates)), Param::text(std::string(candidates))}};
}

}  // namespace

Statement choose_way_to_records(std::string_view candidates) {
  static const std::string newest = fmt::format(
      "SELECT t.words FROM (SELECT key FROM sessions ORDER BY updated_at DESC, id DESC LIMIT {0}) AS s JOIN session_texts AS t "
      "ON t.session = s.key LIMIT {0}",
      kGlanced);
  return choose_way("session_texts", newest, candidates);
}

Statement choose_way_to_entries(std::string_view candidates) {
  static const std::string newest = fmt::format("SELECT words FROM entries ORDER BY sequence DESC LIMIT {}", kGlanced);
  return choose_way("entries", newest, candidates);
}

SearchWay chosen_way(const Answer& answer) {
  return answer[0].integer(0) != 0 ? SearchWay::by_index : SearchWay::by_order;
}

namespace {

// Candidates of a round trip. The first ones are nearly always hits, so the first trip asks for what is wanted; when they were
// none (phrases), the next asks for more.
constexpr std::size_t kCandidatesGrow = 4;
constexpr std::size_t kMaxCandidates = 512;

class Search {
 public:
  Search(Connection& connection, const SearchQuery& query)
      : connection_(connection),
        query_(query),
        words_(query.text, query.as_typed, query.codes_are_words),
        conditions_(word_conditions(words_.terms())),
        where_(conditions_of(query)) {
    if (!query.session.empty()) where_.add_any("s.id", {query.session});
  }

  Result<session::SearchResult> run() {
    if (words_.empty()) return std::move(result_);
    HF_CHECK(choose_ways());
    if (!query_.entries_only && session::has_role(query_, search::PassageRole::title)) HF_CHECK(search_records());
    if (!result_.more) HF_CHECK(search_entries());
    return std::move(result_);
  }

 private:
  struct Part {
    SearchWay way = SearchWay::by_order;
    std::optional<std::string> words;  // of indexed_words.h
  };

  // By the words that are whole, when that is rare enough, because it is cheaper.
  Result<void> choose_ways() {
    records_.words = entries_.words = conditions_.all;
    if (!conditions_.all || !query_.session.empty()) return {};
    if (conditions_.whole_words) HF_CHECK(choose_ways(*conditions_.whole_words));
    return choose_ways(*conditions_.all);
  }

  // Both at once: it is one round trip.
  Result<void> choose_ways(const std::string& words) {
    const bool records = !query_.entries_only && records_.way == SearchWay::by_order;
    const bool entries = entries_.way == SearchWay::by_order;
    if (!records && !entries) return {};
    plan_for(SearchWay::by_index);
    const std::size_t at = connection_.queue(records ? choose_way_to_records(words) : choose_way_to_entries(words));
    if (records && entries) connection_.queue(choose_way_to_entries(words));
    HF_TRY(const auto answers, connection_.flush());
    const auto take_choice = [&](Part& part, const Answer& answer) {
      part.way = chosen_way(answer);
      if (part.way == SearchWay::by_index) part.words = words;
    };
    take_choice(records ? records_ : entries_, answers[at]);
    if (records && entries) take_choice(entries_, answers[at + 1]);
    return {};
  }

  // Along the order the planner has to know the words and the filters: a filter that few sessions pass is a better way. It takes
  // longer to start helpers than to find a page.
  void plan_for(SearchWay way) {
    if (way == SearchWay::by_order) connection_.queue("SET LOCAL max_parallel_workers_per_gather = 0");
    connection_.queue(
        fmt::format("SET LOCAL plan_cache_mode = force_{}_plan", way == SearchWay::by_order ? "custom" : "generic"));
  }

  std::size_t first_candidates() const { return std::min(query_.limit - result_.hits.size() + 1, kMaxCandidates); }
  static std::size_t more_candidates(std::size_t last) { return std::min(last * kCandidatesGrow, kMaxCandidates); }

  // Takes a hit, or notes that there was one more than wanted.
  void take(std::int64_t session, SearchHit hit) {
    std::size_t& hits = hits_[session];
    if (hits >= query_.per_session) return;
    if (result_.hits.size() >= query_.limit) {
      result_.more = true;
      return;
    }
    if (++hits >= query_.per_session) full_.push_back(session);
    result_.hits.push_back(std::move(hit));
  }

  static void add_words(Statement& statement, const Part& part) {
    if (!part.words) return;
    statement.sql += " AND words @@ ?::tsquery";
    statement.values.push_back(Param::text(*part.words));
  }
  // The beginning of a statement that looks at `columns` of a table through its index, all that it names before anything else;
  // nothing along the order.
  static Statement begin_statement(const Part& part, std::string_view table, std::string_view columns) {
    Statement statement;
    if (part.way == SearchWay::by_order) return statement;
    statement.sql = fmt::format("WITH named AS MATERIALIZED (SELECT {} FROM {} WHERE TRUE", columns, table);
    add_words(statement, part);
    statement.sql += ") ";
    return statement;
  }
  static std::string_view searched(const Part& part, std::string_view table) {
    return part.way == SearchWay::by_index ? "named" : table;
  }
  void add_filters(Statement& statement) const {
    statement.sql += " AND " + where_.sql;
    for (const auto& value : where_.values) statement.values.emplace_back(value);
  }

  Statement find_records(std::int64_t updated, std::string_view id, std::size_t wanted) const {
    Statement statement = begin_statement(records_, "session_texts", "session, description");
    statement.sql += fmt::format(
        "SELECT s.key, s.id, s.kind, s.title, t.description, s.tags, s.updated_at FROM sessions AS s JOIN {} AS t ON t.session = "
        "s.key WHERE (s.updated_at, s.id) < (?, ?)",
        searched(records_, "session_texts"));
    statement.values.emplace_back(updated);
    statement.values.emplace_back(id);
    if (records_.way == SearchWay::by_order) add_words(statement, records_);
    add_filters(statement);
    statement.sql += " ORDER BY s.updated_at DESC, s.id DESC LIMIT ?";
    statement.values.emplace_back(wanted);
    return statement;
  }

  Result<void> search_records() {
    plan_for(records_.way);
    std::int64_t updated = std::numeric_limits<std::int64_t>::max();
    std::string id(session::kMaxIdBytes + 1, '\xff');
    std::size_t wanted = first_candidates();
    while (!result_.more) {
      HF_TRY(const Answer rows, connection_.ask(find_records(updated, id, wanted)));
      for (int i = 0; i < rows.size() && !result_.more; ++i) {
        const Row row = rows[i];
        updated = row.integer(6);
        id = row.text(1);
        if (!session::is_in_time(query_, updated)) continue;
        const std::string text = searched_text(row.text(3), row.text(4), row.text(5));
        auto match = words_.match(search::PassageRole::title, text);
        if (!match) continue;
        SearchHit hit{
            id, std::string(row.text(2)), std::string(row.text(3)), 0, {}, 0, {}, updated, search::PassageRole::title, 0, {}, {}};
        session::show_match(hit, words_, text, *std::move(match));
        take(row.integer(0), std::move(hit));
      }
      if (static_cast<std::size_t>(rows.size()) < wanted) return {};
      wanted = more_candidates(wanted);
    }
    return {};
  }

  // The texts of candidates are read by the page, so that large ones do not fill the memory.
  Statement find_entries(std::int64_t before, std::size_t wanted) const {
    Statement statement = begin_statement(entries_, "entries", "sequence, session, salt");
    statement.sql += fmt::format(
        "SELECT sequence, session, seq, lane, number, type, time, CASE WHEN before < {} THEN text END, id, kind, title, CASE "
        "WHEN type IN ('message', 'request') THEN data END FROM "
        "(SELECT "
        "e.*, page.id, page.kind, page.title, sum(length(e.text)) OVER (ORDER BY e.sequence DESC) - length(e.text) AS before "
        "FROM "
        "(SELECT e.sequence, s.id, s.kind, s.title FROM {} AS e JOIN sessions AS s ON s.key = e.session WHERE e.sequence < ? AND "
        "e.salt IS NOT NULL AND e.session <> ALL(?)",
        session::kEntryPageBytes, searched(entries_, "entries"));
    statement.values.emplace_back(before);
    statement.values.push_back(Param::numbers(full_));
    if (entries_.way == SearchWay::by_order) add_words(statement, entries_);
    add_filters(statement);
    statement.sql +=
        " ORDER BY e.sequence DESC LIMIT ?) AS page JOIN entries AS e USING (sequence)) AS measured ORDER BY sequence DESC";
    statement.values.emplace_back(wanted);
    return statement;
  }

  Result<void> search_entries() {
    plan_for(entries_.way);
    std::int64_t before = std::numeric_limits<std::int64_t>::max();
    std::size_t wanted = first_candidates();
    while (!result_.more) {
      HF_TRY(const Answer rows, connection_.ask(find_entries(before, wanted)));
      bool cut = false;
      for (int i = 0; i < rows.size() && !result_.more && !cut; ++i) {
        cut = rows[i].is_null(7);
        if (!cut) consider(rows[i], before);
      }
      if (!cut && static_cast<std::size_t>(rows.size()) < wanted) return {};
      wanted = more_candidates(wanted);
    }
    return {};
  }

  void consider(const Row& row, std::int64_t& before) {
    before = row.integer(0);
    if (!session::is_in_time(query_, row.integer(6))) return;
    const search::PassageRole role = session::role_of_entry(row.text(5), row.text(11));
    if (!session::has_role(query_, role)) return;
    auto match = words_.match(role, row.text(7));
    if (!match) return;
    SearchHit hit{std::string(row.text(8)),
                  std::string(row.text(9)),
                  std::string(row.text(10)),
                  row.integer(2),
                  std::string(row.text(3)),
                  row.integer(4),
                  std::string(row.text(5)),
                  row.integer(6),
                  role,
                  0,
                  {},
                  {}};
    session::show_match(hit, words_, row.text(7), *std::move(match));
    take(row.integer(1), std::move(hit));
  }

  Connection& connection_;
  const SearchQuery& query_;
  search::TextSearch words_;
  const WordConditions conditions_;
  Condition where_;
  std::map<std::int64_t, std::size_t> hits_;
  std::vector<std::int64_t> full_;  // sessions that have all the hits they may have
  Part records_, entries_;
  session::SearchResult result_;
};

}  // namespace

Result<session::SearchResult> search(Connection& connection, const SearchQuery& query) {
  HF_CHECK(session::check_search(query));
  return Search(connection, query).run();
}

}  // namespace holdfast::store::postgres
