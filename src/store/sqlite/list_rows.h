#pragma once

// Which sessions a query means, in its order.

#include "session/query.h"
#include "store/sqlite/db.h"

#include <variant>

namespace holdfast::store {

// The store's secret authenticates the cursors.
Result<session::Page> list_sessions(Db& db, const session::Query& query, std::string_view secret);

// Conditions on rows of `sessions AS s` that lists and searches share: SQL text, and what to bind.
struct Condition {
  using Value = std::variant<std::int64_t, std::string>;
  std::string sql = "1";
  std::vector<Value> values;  // bound in this order

  void add(std::string_view condition) { sql.append(" AND ").append(condition); }
  void add_any(std::string_view column, const std::vector<std::string>& any_of);  // nothing when empty
  void add_roots(const std::vector<std::string>& roots, bool rootless);
  void add_visibilities(const std::vector<session::Visibility>& visibilities);
  void add_principal(const std::optional<std::string>& principal);
  // `condition` has one mark for the value.
  void add_value(std::string_view condition, Value value);
  // From the mark behind `index` on; the condition must outlive the rows.
  void bind_to(Rows& rows, int& index) const;
};

}  // namespace holdfast::store
