#include "reading/html/visible_text.h"

#include "base/text/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::reading {
namespace {

constexpr char kEscape = '\x1b';
constexpr char kBell = '\x07';

// The length of the escape sequence at the beginning of the text (ECMA-48): ESC [ … final, ESC ] … BEL or ESC \, ESC x. An
// unfinished one ends with its line, so that a stray ESC ] does not swallow the rest.
std::size_t sequence_length(std::string_view text) {
  if (text.size() < 2 || text[1] < 0x20 || text[1] > 0x7e) return 1;
  const char second = text[1];
  std::size_t at = 2;
  if (second == '[') {
    while (at < text.size() && text[at] >= 0x20 && text[at] <= 0x3f) ++at;
    return at < text.size() && text[at] >= 0x40 && text[at] <= 0x7e ? at + 1 : at;
  }
  if (second == ']' || second == 'P' || second == '^' || second == '_' || second == 'X') {
    for (; at < text.size() && text[at] != '\n'; ++at) {
      if (text[at] == kBell) return at + 1;
      if (text[at] == kEscape && at + 1 < text.size() && text[at + 1] == '\\') return at + 2;
    }
    return at;
  }
  at = 1;
  while (at < text.size() && text[at] >= 0x20 && text[at] <= 0x2f) ++at;  // ESC ( B
  return at < text.size() && text[at] >= 0x30 && text[at] <= 0x7e ? at + 1 : at;
}

bool is_hidden(char32_t c) {
  return (c >= 0x80 && c <= 0x9f) || c == 0xad || c == 0x61c || c == 0x180e || c == 0x200b || c == 0x200e || c == 0x200f ||
         (c >= 0x2028 && c <= 0x202e) || (c >= 0x2060 && c <= 0x206f) || c == 0xfeff || (c >= 0xfff9 && c <= 0xfffb) ||
         (c >= 0xe0000 && c <= 0xe0fff);
}

// Of valid UTF-8.
std::size_t decode(std::string_view text, char32_t& c) {
  const auto byte = [&](std::size_t at) { return static_cast<char32_t>(static_cast<unsigned char>(text[at])); };
  if (byte(0) < 0xe0) return c = (byte(0) & 0x1f) << 6 | (byte(1) & 0x3f), 2;
  if (byte(0) < 0xf0) return c = (byte(0) & 0xf) << 12 | (byte(1) & 0x3f) << 6 | (byte(2) & 0x3f), 3;
  return c = (byte(0) & 7) << 18 | (byte(1) & 0x3f) << 12 | (byte(2) & 0x3f) << 6 | (byte(3) & 0x3f), 4;
}

void append_control(std::string& out, unsigned char c) {
  const unsigned picture = c == 0x7f ? 0x2421 : 0x2400u + c;
  out += {static_cast<char>(0xe2), static_cast<char>(0x80 | (picture >> 6 & 0x3f)), static_cast<char>(0x80 | (picture & 0x3f))};
}

std::string made_visible(std::string_view text) {
  std::string out;
  out.reserve(text.size() + text.size() / 16);
  for (std::size_t at = 0; at < text.size();) {
    // Runs of what needs no care, at once.
    std::size_t end = at;
    while (end < text.size() && ((text[end] >= 0x20 && text[end] < 0x7f) || text[end] == '\n' || text[end] == '\t')) ++end;
    out.append(text, at, end - at);
    if (end == text.size()) break;
    at = end;
    const unsigned char c = static_cast<unsigned char>(text[at]);
    if (text[at] == kEscape) {
      at += sequence_length(text.substr(at));
    } else if (c == '\r') {
      ++at;
      if (at == text.size() || text[at] != '\n') out += '\n';
    } else if (c < 0x80) {
      append_control(out, c);
      ++at;
    } else {
      char32_t point = 0;
      const std::size_t length = decode(text.substr(at), point);
      if (is_hidden(point))
        out += fmt::format("⟨U+{:04X}⟩", static_cast<unsigned>(point));
      else
        out.append(text, at, length);
      at += length;
    }
  }
  return out;
}

}  // namespace

std::string visible_text(std::string_view text) {
  return is_valid_utf8(text) ? made_visible(text) : made_visible(to_valid_utf8(text));
}

std::string visible_line(std::string_view text, std::size_t max_chars) {
  const std::string visible = visible_text(utf8_prefix(trim(text), max_chars * 8));
  std::string line;
  for (const char c : visible) {
    const bool blank = c == ' ' || c == '\n' || c == '\t';
    if (!blank) {
      line += c;
    } else if (!line.empty() && line.back() != ' ') {
      line += ' ';
    }
  }
  return shorten(trim(line), max_chars);
}

}  // namespace holdfast::reading
