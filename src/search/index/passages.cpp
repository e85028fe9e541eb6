#include "search/index/passages.h"

#include <algorithm>
#include <array>

namespace holdfast::search {
namespace {

// In the order of PassageRole.
constexpr std::array<std::string_view, 7> kNames = {"user",        "assistant", "thinking", "tool_call",
                                                    "tool_result", "system",    "title"};

}  // namespace

std::string_view name_of(PassageRole role) {
  return kNames.at(static_cast<std::size_t>(role));
}

std::optional<PassageRole> passage_role(std::string_view name) {
  const auto found = std::ranges::find(kNames, name);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<PassageRole>(found - kNames.begin());
}

}  // namespace holdfast::search
