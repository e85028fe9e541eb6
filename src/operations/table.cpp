#include "operations/table.h"

#include <algorithm>
#include <vector>

namespace holdfast::operations {

std::span<const Operation> all() {
  static const std::vector<Operation> table = [] {
    std::vector<Operation> rows;
    for (const auto family :
         {telling_operations(),    checking_operations(),  exporting_operations(), copying_operations(), removing_operations(),
          finding_operations(),    guard_operations(),     importing_operations(), listing_operations(), reading_operations(),
          changing_operations(),   removal_operations(),   care_operations(),      note_operations(),    thinking_operations(),
          continuing_operations(), line_operations(),      talking_operations(),   thread_operations(),  run_operations(),
          operations_of_runs(),    proposing_operations(), reviewing_operations(), task_operations(),    store_operations(),
          token_operations()})
      rows.insert(rows.end(), family.begin(), family.end());
    return rows;
  }();
  return table;
}

const Operation* find_operation(std::string_view name) {
  const auto found = std::ranges::find(all(), name, &Operation::name);
  return found == all().end() ? nullptr : &*found;
}

const Operation* find_action(std::string_view action, std::string_view kind) {
  const Operation* general = nullptr;
  for (const Operation& each : all()) {
    if (action_of(each) != action) continue;
    if (each.kind == kind) return &each;
    if (each.kind.empty() && each.name.starts_with("sessions ")) general = &each;
  }
  return general;
}

}  // namespace holdfast::operations
