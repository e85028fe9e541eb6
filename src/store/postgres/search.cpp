#include "store/postgres/search.h"

#include "session/limits.h"
#include "store/postgres/indexed_words.h"
#include "store/sqlite/words.h"
#include "store/tables/condition.h"
#include "store/tables/session_row.h"

#include <fmt/format.h>

#include <limits>
#include <map>

namespace holdfast::store::postgres {

using session::SearchHit;
using session::SearchQuery;

namespace {

// Candidates of one round trip: the first ones are nearly always hits, and a page is twenty.
constexpr std::size_t kFewCandidates = 64;
constexpr std::size_t kManyCandidates = 512;

// Texts of one round trip, roughly: bounds memory when entries are large.
class Search {
 public:
  Search(Connection& connection, const SearchQuery& query)
      : connection_(connection), query_(query), words_(query.text), candidates_(word_condition(query.text)) {
    where_.add_any("s.kind", query.kinds);
    where_.add_roots(query.roots, query.rootless);
    where_.add_visibilities(query.visibilities);
    where_.add_principal(query.principal);
    if (!query.session.empty()) where_.add_any("s.id", {query.session});
  }

  Result<session::SearchResult> run() {
    if (words_.empty()) return std::move(result_);
    // Planned for these words: a rare one is looked up in the index, a common one is met soon on the way back from the newest. A
    // plan for any words would always take the second way.
    connection_.queue("SET LOCAL plan_cache_mode = force_custom_plan");
    HF_CHECK(search_records());
    if (!result_.more) HF_CHECK(search_entries());
    return std::move(result_);
  }

 private:
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

  void add_candidates(Statement& statement, std::string_view column) const {
    if (candidates_) {
      statement.sql += fmt::format(" AND {} @@ convert_from(?, 'UTF8')::tsquery", column);
      statement.values.emplace_back(*candidates_);
    }
    statement.sql += " AND " + where_.sql;
    for (const auto& value : where_.values) statement.values.emplace_back(value);
  }

  Result<Answer> ask(Statement statement) { return connection_.ask(statement.sql, std::move(statement.values)); }

  Result<void> search_records() {
    std::int64_t updated = std::numeric_limits<std::int64_t>::max();
    std::string id(session::kMaxIdBytes + 1, '\xff');
    std::size_t wanted = kFewCandidates;
    while (!result_.more) {
      Statement statement{
          "SELECT s.key, s.id, s.kind, s.title, t.description, s.tags, s.updated_at FROM sessions AS s JOIN "
          "session_texts AS t ON t.session = s.key WHERE (s.updated_at, s.id) < (?, ?)",
          {updated, id}};
      add_candidates(statement, "t.words");
      statement.sql += " ORDER BY s.updated_at DESC, s.id DESC LIMIT ?";
      statement.values.emplace_back(wanted);
      HF_TRY(const Answer rows, ask(std::move(statement)));
      for (int i = 0; i < rows.size() && !result_.more; ++i) {
        const Row row = rows[i];
        updated = row.integer(6);
        id = row.text(1);
        const std::string text = searched_text(row.text(3), row.text(4), row.text(5));
        if (!words_.matches(words_of(text))) continue;
        SearchHit hit{id, std::string(row.text(2)), std::string(row.text(3)), 0, {}, 0, {}, updated, snippet_of(text, words_)};
        take(row.integer(0), std::move(hit));
      }
      if (static_cast<std::size_t>(rows.size()) < wanted) return {};
      wanted = kManyCandidates;
    }
    return {};
  }

  Result<void> search_entries() {
    std::int64_t before = std::numeric_limits<std::int64_t>::max();
    std::size_t wanted = kFewCandidates;
    while (!result_.more) {
      // The texts of candidates are read by the page, so that large ones do not fill the memory.
      Statement statement{
          fmt::format("SELECT sequence, session, seq, lane, number, type, time, CASE WHEN before < {} THEN text END, "
                      "id, kind, title FROM (SELECT e.*, s.id, s.kind, s.title, sum(length(e.text)) OVER (ORDER BY "
                      "e.sequence DESC) - length(e.text) AS before FROM entries AS e JOIN sessions AS s ON s.key = "
                      "e.session WHERE e.sequence < ? AND e.salt IS NOT NULL AND e.session <> ALL(?)",
                      session::kEntryPageBytes),
          {before, Param::numbers(full_)}};
      add_candidates(statement, "e.words");
      statement.sql += " ORDER BY e.sequence DESC LIMIT ?) AS page ORDER BY sequence DESC";
      statement.values.emplace_back(wanted);
      HF_TRY(const Answer rows, ask(std::move(statement)));
      bool cut = false;
      for (int i = 0; i < rows.size() && !result_.more && !cut; ++i) {
        cut = rows[i].is_null(7);
        if (!cut) consider(rows[i], before);
      }
      if (!cut && static_cast<std::size_t>(rows.size()) < wanted) return {};
      wanted = kManyCandidates;
    }
    return {};
  }

  void consider(const Row& row, std::int64_t& before) {
    before = row.integer(0);
    if (!words_.matches(words_of(row.text(7)))) return;
    SearchHit hit{std::string(row.text(8)), std::string(row.text(9)), std::string(row.text(10)),
                  row.integer(2),           std::string(row.text(3)), row.integer(4),
                  std::string(row.text(5)), row.integer(6),           snippet_of(row.text(7), words_)};
    take(row.integer(1), std::move(hit));
  }

  Connection& connection_;
  const SearchQuery& query_;
  const WordQuery words_;
  const std::optional<std::string> candidates_;
  Condition where_;
  std::map<std::int64_t, std::size_t> hits_;
  std::vector<std::int64_t> full_;  // sessions that have all the hits they may have
  session::SearchResult result_;
};

}  // namespace

Result<session::SearchResult> search(Connection& connection, const SearchQuery& query) {
  if (query.limit < 1 || query.limit > session::kMaxSearchLimit) {
    return fail(ErrorKind::invalid, fmt::format("limit must be 1 to {}, not {}", session::kMaxSearchLimit, query.limit));
  }
  if (query.text.size() > session::kMaxSearchTextBytes) {
    return fail(ErrorKind::too_large, fmt::format("at most {} bytes can be searched for", session::kMaxSearchTextBytes));
  }
  return Search(connection, query).run();
}

}  // namespace holdfast::store::postgres
