#pragma once

// Which sessions a query means, in its order.

#include "session/query.h"
#include "store/sqlite/db.h"

namespace holdfast::store {

// The store's secret authenticates the cursors.
Result<session::Page> list_sessions(Db& db, const session::Query& query, std::string_view secret);

// Conditions on rows of `sessions AS s` that lists and searches share: SQL text, and what to bind.
struct Condition {
  std::string sql = "1";
  std::vector<std::string> texts;  // bound in this order

  void add(std::string_view condition) { sql.append(" AND ").append(condition); }
  void add_any(std::string_view column, const std::vector<std::string>& values);  // nothing when empty
  void add_roots(const std::vector<std::string>& roots, bool rootless);
  void add_visibilities(const std::vector<session::Visibility>& visibilities);
  void add_principal(const std::optional<std::string>& principal);
};

}  // namespace holdfast::store
