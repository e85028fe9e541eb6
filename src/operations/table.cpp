#include "operations/table.h"

#include <algorithm>
#include <vector>

namespace holdfast::operations {

std::span<const Operation> all() {
  static const std::vector<Operation> table = [] {
    std::vector<Operation> rows;
    for (const auto family :
         {telling_operations(), copying_operations(), removing_operations(), changing_operations(), note_operations(),
          proposing_operations(), reviewing_operations(), run_operations(), store_operations(), token_operations()})
      rows.insert(rows.end(), family.begin(), family.end());
    return rows;
  }();
  return table;
}

const Operation* find_operation(std::string_view name) {
  const auto found = std::ranges::find(all(), name, &Operation::name);
  return found == all().end() ? nullptr : &*found;
}

}  // namespace holdfast::operations
