#pragma once

// Statements of one round trip that change rows, put in line as few: those that change different tables become one, because every
// message costs the server about as much as a small change itself. They see the same moment, and none sees what another did.

#include "store/postgres/connection.h"

#include <set>
#include <string>
#include <vector>

namespace holdfast::store::postgres {

class StatementGroup {
 public:
  // Those of the same table stay in this order; those of different ones must not depend on each other.
  void add(std::string_view table, Statement statement);
  bool empty() const { return first_.empty(); }
  // Puts all in line.
  void queue(Connection& connection);

 private:
  std::set<std::string, std::less<>> tables_;
  std::vector<Statement> first_;  // one of each table
  std::vector<Statement> later_;
};

}  // namespace holdfast::store::postgres
