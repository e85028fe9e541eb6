#include "base/json/lone_surrogates.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>

namespace holdfast {

namespace {

constexpr std::size_t kEscape = 6;  // \uXXXX

// The unit that an escape at the beginning of the text stands for.
std::optional<std::uint32_t> unit_at(std::string_view text) {
  if (text.size() < kEscape || !text.starts_with("\\u")) return std::nullopt;
  std::uint32_t unit = 0;
  const char* const end = text.data() + kEscape;
  const auto read = std::from_chars(text.data() + 2, end, unit, 16);
  return read.ec == std::errc() && read.ptr == end ? std::optional(unit) : std::nullopt;
}

bool is_high(std::uint32_t unit) {
  return unit >= 0xD800 && unit < 0xDC00;
}
bool is_low(std::uint32_t unit) {
  return unit >= 0xDC00 && unit < 0xE000;
}

}  // namespace

std::string without_lone_surrogates(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t plain = std::min(text.find('\\'), text.size());
    out += text.substr(0, plain);
    text.remove_prefix(plain);
    const auto unit = unit_at(text);
    std::size_t taken = std::min<std::size_t>(unit ? kEscape : 2, text.size());
    const auto next = unit && is_high(*unit) ? unit_at(text.substr(kEscape)) : std::nullopt;
    if (next && is_low(*next)) taken = 2 * kEscape;
    const bool lone = unit && (is_low(*unit) || (is_high(*unit) && taken == kEscape));
    out += lone ? std::string_view("\\ufffd") : text.substr(0, taken);
    text.remove_prefix(taken);
  }
  return out;
}

}  // namespace holdfast
