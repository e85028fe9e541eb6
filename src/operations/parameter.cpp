#include "operations/parameter.h"

#include <algorithm>

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

namespace holdfast::operations {

std::vector<std::string_view> parts_of(std::string_view divided) {
  std::vector<std::string_view> parts;
  while (!divided.empty()) {
    const std::size_t bar = std::min(divided.find('|'), divided.size());
    parts.push_back(divided.substr(0, bar));
    divided.remove_prefix(std::min(bar + 1, divided.size()));
  }
  return parts;
}

std::vector<std::string_view> words_of(const Parameter& parameter) {
  return parts_of(parameter.words);
}

const Parameter* find(Parameters parameters, std::string_view name) {
  const auto found = std::ranges::find(parameters, name, &Parameter::name);
  return found == parameters.end() ? nullptr : &*found;
}

}  // namespace holdfast::operations
