#include "operations/given.h"

namespace holdfast {

std::vector<std::string> texts_in(const JsonObject& object, std::string_view name) {
  std::vector<std::string> all;
  if (const auto one = find_string(object, name)) all.emplace_back(*one);
  if (const JsonArray* several = find_array(object, name))
    for (const Json& each : *several)
      if (each.is_string()) all.emplace_back(view(each.get_string()));
  return all;
}

}  // namespace holdfast
