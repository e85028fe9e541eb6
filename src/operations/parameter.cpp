#include "operations/parameter.h"

#include <algorithm>

namespace holdfast::operations {

std::vector<std::string_view> words_of(const Parameter& parameter) {
  std::vector<std::string_view> words;
  for (std::string_view rest = parameter.words; !rest.empty();) {
    const std::size_t bar = std::min(rest.find('|'), rest.size());
    words.push_back(rest.substr(0, bar));
    rest.remove_prefix(std::min(bar + 1, rest.size()));
  }
  return words;
}

const Parameter* find(Parameters parameters, std::string_view name) {
  const auto found = std::ranges::find(parameters, name, &Parameter::name);
  return found == parameters.end() ? nullptr : &*found;
}

}  // namespace holdfast::operations
