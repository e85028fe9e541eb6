#pragma once

// Conditions on rows of `sessions AS s`, as lists and searches have them: SQL text that both databases understand, and what to
// bind to its marks.

#include "session/query/query.h"
#include "session/query/search.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace holdfast::store {

// "(?,?,?)"
std::string marks(std::size_t count);

struct Condition {
  using Value = std::variant<std::int64_t, std::string>;
  std::string sql = "TRUE";
  std::vector<Value> values;  // bound in this order

  bool empty() const { return sql == "TRUE"; }

  void add(std::string_view condition) { sql.append(" AND ").append(condition); }
  void add_any(std::string_view column, const std::vector<std::string>& any_of);  // nothing when empty
  void add_roots(const std::vector<std::string>& roots, bool rootless);
  // The same, asked of each row by itself: for walks that expect most rows to fit.
  void add_roots_of_row(const std::vector<std::string>& roots, bool rootless);
  void add_visibilities(const std::vector<session::Visibility>& visibilities);
  void add_principal(const std::optional<std::string>& principal);
  void add_aspects(const session::Query& query);
  void add_times(const session::Query& query);
  // `condition` has one mark for the value.
  void add_value(std::string_view condition, Value value);
};

// The one thing the databases have different words for: whether the text of a mark occurs in the column `folded`.
inline constexpr std::string_view kSqliteHasText = "instr(folded, ?) > 0";
inline constexpr std::string_view kPostgresHasText = "position(? IN folded) > 0";

// Everything the query asks for.
Condition conditions_of(const session::Query& query, std::string_view has_text);
// But for the words and the one session.
Condition conditions_of(const session::SearchQuery& query);
Condition conditions_of(const session::IdQuery& query);

// The roots of a query as `roots` has them: '' stands for none.
std::vector<std::string> stored_roots(const std::vector<std::string>& roots, bool rootless);

}  // namespace holdfast::store
