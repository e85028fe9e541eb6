#include "store/postgres/search/search_way.h"

#include <fmt/format.h>

namespace holdfast::store::postgres {

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

}  // namespace holdfast::store::postgres
