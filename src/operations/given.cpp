#include "operations/given.h"

namespace holdfast::operations {

std::string Given::text(std::string_view name) const {
  return std::string(find_string(values_, name).value_or(""));
}

// One text alone is a list of one.
std::vector<std::string> Given::texts(std::string_view name) const {
  if (const auto one = find_string(values_, name)) return {std::string(*one)};
  return texts_in(values_, name);
}

}  // namespace holdfast::operations
