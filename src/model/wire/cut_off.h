#pragma once

#include <string_view>

namespace holdfast::model {

inline constexpr std::string_view kContentFilter = "content_filter";  // a finish reason

// Why the text of an answer with this finish reason ends before its end, for a person. Empty: it is whole.
constexpr std::string_view cut_off(std::string_view finish_reason) {
  if (finish_reason == "length") return "the answer reached its limit of tokens and may be cut off";
  if (finish_reason == kContentFilter) return "a content filter of the endpoint cut the answer off";
  return {};
}

}  // namespace holdfast::model
