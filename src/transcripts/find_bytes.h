#pragma once

// Where a text occurs in a long one, at memory speed.

#include <cstddef>
#include <cstring>
#include <string_view>

namespace holdfast::transcripts {

// As text.find(what, from), through memmem: std::string_view::find stops at every first letter.
inline std::size_t find_bytes(std::string_view text, std::string_view what, std::size_t from = 0) {
  if (from > text.size()) return std::string_view::npos;
  const void* found = ::memmem(text.data() + from, text.size() - from, what.data(), what.size());
  return found ? static_cast<std::size_t>(static_cast<const char*>(found) - text.data()) : std::string_view::npos;
}

}  // namespace holdfast::transcripts
