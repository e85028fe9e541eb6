#pragma once

// Conditions on rows of `sessions AS s`, as lists and searches have them: SQL text, and what to bind.

#include "session/query.h"
#include "store/sqlite/db.h"

#include <variant>

namespace holdfast::store {

// "(?,?,?)"
std::string marks(std::size_t count);

struct Condition {
  using Value = std::variant<std::int64_t, std::string>;
  std::string sql = "1";
  std::vector<Value> values;  // bound in this order

  bool empty() const { return sql == "1"; }

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
  // From the mark behind `index` on; the condition must outlive the rows.
  void bind_to(Rows& rows, int& index) const;
};

// Everything the query asks for.
Condition conditions_of(const session::Query& query);

// The roots of a query as `roots` has them: '' stands for none.
std::vector<std::string> stored_roots(const std::vector<std::string>& roots, bool rootless);

}  // namespace holdfast::store
