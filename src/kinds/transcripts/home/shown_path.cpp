#include "kinds/transcripts/home/shown_path.h"

#include "base/text/text.h"

#include <fmt/format.h>

namespace holdfast::transcripts {

std::string shown_path(std::string_view path) {
  if (is_valid_utf8(path)) return std::string(path);
  constexpr std::size_t kLongest = 4;  // bytes of a character
  std::string shown;
  while (!path.empty()) {
    std::size_t length = 1;
    while (length <= kLongest && length <= path.size() && !is_valid_utf8(path.substr(0, length))) ++length;
    if (length > kLongest || length > path.size()) {
      shown += fmt::format("\\x{:02x}", static_cast<unsigned char>(path.front()));
      path.remove_prefix(1);
    } else {
      shown += path.substr(0, length);
      path.remove_prefix(length);
    }
  }
  return shown;
}

}  // namespace holdfast::transcripts
