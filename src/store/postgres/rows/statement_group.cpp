#include "store/postgres/rows/statement_group.h"

#include <fmt/format.h>

#include <iterator>

namespace holdfast::store::postgres {

void StatementGroup::add(std::string_view table, Statement statement) {
  const bool first = tables_.emplace(table).second;
  (first ? first_ : later_).push_back(std::move(statement));
}

void StatementGroup::queue(Connection& connection) {
  if (first_.empty()) return;
  Statement all;
  for (std::size_t i = 0; i + 1 < first_.size(); ++i) {
    all.sql += fmt::format("{} part{} AS ({})", i == 0 ? "WITH" : ",", i, first_[i].sql);
  }
  all.sql += (all.sql.empty() ? "" : " ") + first_.back().sql;
  for (Statement& each : first_)
    all.values.insert(all.values.end(), std::make_move_iterator(each.values.begin()), std::make_move_iterator(each.values.end()));
  connection.queue(std::move(all));
  for (Statement& each : later_) connection.queue(std::move(each));
}

}  // namespace holdfast::store::postgres
