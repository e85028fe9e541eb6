#include "operations/given.h"

namespace holdfast::operations {

std::string Given::text(std::string_view name) const {
  return std::string(find_string(values_, name).value_or(""));
}

// One text alone is a list of one.
std::vector<std::string> Given::texts(std::string_view name) const {
  std::vector<std::string> all;
  if (const auto one = find_string(values_, name)) all.emplace_back(*one);
  if (const JsonArray* several = find_array(values_, name))
    for (const Json& each : *several)
      if (each.is_string()) all.emplace_back(view(each.get_string()));
  return all;
}

}  // namespace holdfast::operations
