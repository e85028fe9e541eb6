#include "base/text/text.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstring>

namespace holdfast {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD
constexpr std::string_view kEllipsis = "\xE2\x80\xA6";     // U+2026
constexpr std::string_view kBlanks = " \t\n\v\f\r";

bool is_continuation(char c) {
  return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

struct Sequence {
  std::size_t length;  // at least 1; of a broken sequence, what can be skipped as one error
  bool valid;
};

// The sequence at the front of a text that is not empty. The ranges of the second byte keep out
// overlong forms, surrogates and what lies beyond U+10FFFF (Unicode 15, table 3-7).
Sequence first_sequence(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  if (lead < 0x80) return {1, true};
  std::size_t length = 0;
  unsigned char low = 0x80, high = 0xBF;
  if (lead >= 0xC2 && lead <= 0xDF) {
    length = 2;
  } else if (lead >= 0xE0 && lead <= 0xEF) {
    length = 3;
    if (lead == 0xE0) low = 0xA0;
    if (lead == 0xED) high = 0x9F;
  } else if (lead >= 0xF0 && lead <= 0xF4) {
    length = 4;
    if (lead == 0xF0) low = 0x90;
    if (lead == 0xF4) high = 0x8F;
  } else {
    return {1, false};
  }
  for (std::size_t i = 1; i < length; ++i) {
    if (i == text.size()) return {i, false};
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte < low || byte > high) return {i, false};
    low = 0x80;
    high = 0xBF;
  }
  return {length, true};
}

std::size_t ascii_run(std::string_view text) {
  constexpr std::uint64_t kHighBits = 0x8080808080808080;
  std::size_t run = 0;
  // Four words at a time: a third of the time on text that is mostly ASCII.
  for (std::uint64_t words[4]; text.size() - run >= sizeof words; run += sizeof words) {
    std::memcpy(words, text.data() + run, sizeof words);
    if ((words[0] | words[1] | words[2] | words[3]) & kHighBits) break;
  }
  for (std::uint64_t word = 0; text.size() - run >= sizeof word; run += sizeof word) {
    std::memcpy(&word, text.data() + run, sizeof word);
    if (word & kHighBits) break;
  }
  while (run < text.size() && static_cast<unsigned char>(text[run]) < 0x80) ++run;
  return run;
}

// The four digits behind "\u" at the front of text.
std::optional<std::uint32_t> unicode_escape(std::string_view text) {
  if (text.size() < 6 || text[0] != '\\' || text[1] != 'u') return std::nullopt;
  std::uint32_t value = 0;
  for (const char c : text.substr(2, 4)) {
    if (hex_value(c) < 0) return std::nullopt;
    value = value << 4 | static_cast<std::uint32_t>(hex_value(c));
  }
  return value;
}

char ascii_lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
}

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

bool is_valid_utf8(std::string_view text) {
  for (;;) {
    text.remove_prefix(ascii_run(text));
    if (text.empty()) return true;
    const Sequence sequence = first_sequence(text);
    if (!sequence.valid) return false;
    text.remove_prefix(sequence.length);
  }
}

std::string to_valid_utf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t run = ascii_run(text);
    out += text.substr(0, run);
    text.remove_prefix(run);
    if (text.empty()) break;
    const Sequence sequence = first_sequence(text);
    out += sequence.valid ? text.substr(0, sequence.length) : kReplacement;
    text.remove_prefix(sequence.length);
  }
  return out;
}

std::string_view utf8_prefix(std::string_view text, std::size_t max_bytes) {
  if (text.size() <= max_bytes) return text;
  std::size_t end = max_bytes;
  while (end > 0 && max_bytes - end < 3 && is_continuation(text[end])) --end;
  // Only a whole character is worth stepping back for; broken bytes are cut anywhere.
  const Sequence cut = first_sequence(text.substr(end));
  return text.substr(0, cut.valid && end + cut.length > max_bytes ? end : max_bytes);
}

std::size_t utf8_length(std::string_view text) {
  std::size_t length = 0;
  while (!text.empty()) {
    const std::size_t run = ascii_run(text);
    length += run;
    text.remove_prefix(run);
    if (text.empty()) break;
    const Sequence sequence = first_sequence(text);
    length += sequence.valid ? 1 : sequence.length;
    text.remove_prefix(sequence.length);
  }
  return length;
}

std::string shorten(std::string_view text, std::size_t max_chars) {
  if (text.size() <= max_chars || utf8_length(text) <= max_chars) return std::string(text);
  if (max_chars == 0) return {};
  const std::size_t kept_chars = max_chars - 1;  // the last one is the ellipsis
  const std::size_t last_third = kept_chars - kept_chars / 3;
  std::size_t bytes = 0, chars = 0, word_end = 0;
  for (; chars <= kept_chars; ++chars) {
    if (chars >= last_third && kBlanks.find(text[bytes]) != kBlanks.npos) word_end = bytes;
    if (chars == kept_chars) break;
    const Sequence sequence = first_sequence(text.substr(bytes));
    bytes += sequence.valid ? sequence.length : 1;
  }
  std::string_view kept = text.substr(0, word_end > 0 ? word_end : bytes);
  kept = kept.substr(0, kept.find_last_not_of(kBlanks) + 1);
  return std::string(kept).append(kEllipsis);
}

std::string_view trim(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

bool equal_ignoring_ascii_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return ascii_lower(x) == ascii_lower(y); });
}

std::string to_ascii_lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = ascii_lower(c);
  return lower;
}

void append_utf8(std::string& out, std::uint32_t code_point) {
  if (code_point < 0x80) {
    out += static_cast<char>(code_point);
  } else if (code_point < 0x800) {
    out += static_cast<char>(0xC0 | code_point >> 6);
    out += static_cast<char>(0x80 | (code_point & 0x3F));
  } else if (code_point < 0x10000) {
    out += static_cast<char>(0xE0 | code_point >> 12);
    out += static_cast<char>(0x80 | (code_point >> 6 & 0x3F));
    out += static_cast<char>(0x80 | (code_point & 0x3F));
  } else {
    out += static_cast<char>(0xF0 | code_point >> 18);
    out += static_cast<char>(0x80 | (code_point >> 12 & 0x3F));
    out += static_cast<char>(0x80 | (code_point >> 6 & 0x3F));
    out += static_cast<char>(0x80 | (code_point & 0x3F));
  }
}

std::optional<std::string> unescape_json_string(std::string_view inside) {
  std::string out;
  out.reserve(inside.size());
  while (!inside.empty()) {
    const std::size_t run = std::min(inside.find('\\'), inside.size());
    out += inside.substr(0, run);
    inside.remove_prefix(run);
    if (inside.empty()) break;
    if (inside.size() < 2) return std::nullopt;
    if (inside[1] != 'u') {
      const char decoded = short_json_escape(inside[1]);
      if (decoded == 0) return std::nullopt;
      out += decoded;
      inside.remove_prefix(2);
      continue;
    }
    const auto unit = unicode_escape(inside);
    if (!unit) return std::nullopt;
    inside.remove_prefix(6);
    if (*unit < 0xD800 || *unit > 0xDFFF) {
      append_utf8(out, *unit);
      continue;
    }
    const auto second = *unit < 0xDC00 ? unicode_escape(inside) : std::nullopt;
    if (second && *second >= 0xDC00 && *second <= 0xDFFF) {
      append_utf8(out, 0x10000 + ((*unit - 0xD800) << 10) + (*second - 0xDC00));
      inside.remove_prefix(6);
    } else {
      out += kReplacement;
    }
  }
  return out;
}

bool has_control_character(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte < 0x20 || byte == 0x7F) return true;
    if (byte == 0xC2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xA0) return true;
  }
  return false;
}

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
