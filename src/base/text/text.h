#pragma once

// UTF-8 text of unknown quality.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace holdfast {

// Editors write it in front of UTF-8 text; it is no part of it.
inline constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

constexpr bool is_ascii_digit(char c) {
  return c >= '0' && c <= '9';
}
constexpr bool is_ascii_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
constexpr bool is_lower_hex(char c) {  // as hashes are written
  return is_ascii_digit(c) || (c >= 'a' && c <= 'f');
}

constexpr int hex_value(char c) {  // -1: no hexadecimal digit
  if (is_ascii_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool is_valid_utf8(std::string_view text);
std::string to_valid_utf8(std::string_view text);  // broken sequences become U+FFFD

// The longest prefix of at most max_bytes that does not cut a character.
std::string_view utf8_prefix(std::string_view text, std::size_t max_bytes);
std::size_t utf8_length(std::string_view text);  // code points; each broken byte counts as one

// At most max_chars code points, cut at a word where one ends in the last third; "…" when cut.
std::string shorten(std::string_view text, std::size_t max_chars);

std::string to_nfc(std::string_view text);     // composed; broken input is returned as it is
std::string to_nfd(std::string_view text);     // decomposed, likewise
std::string fold_case(std::string_view text);  // NFKC case folding, for comparing
void append_utf8(std::string& out, std::uint32_t code_point);
std::string_view trim(std::string_view text);  // ASCII white space at both ends
bool equal_ignoring_ascii_case(std::string_view a, std::string_view b);
std::string to_ascii_lower(std::string_view text);

// Decodes the inside of a JSON string literal, lone surrogates included (they become U+FFFD).
// nullopt for a broken escape.
std::optional<std::string> unescape_json_string(std::string_view inside);

// Of C0 (below U+0020), DEL, or C1 (U+0080 to U+009F, which terminals obey, too). The text is UTF-8.
bool has_control_character(std::string_view text);

// What the character behind a backslash in a JSON string stands for; 0 for `u` and for what may not stand there.
constexpr char short_json_escape(char c) {
  switch (c) {
    case '"':
    case '\\':
    case '/':
      return c;
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    default:
      return 0;
  }
}

// Halves of characters in JSON: JavaScript cuts a text in the middle of an emoji and writes the half as "\\ud800", which the
// grammar allows and parsers refuse.

// Escapes of surrogates that have no partner, each replaced by "\\ufffd"; everything else byte for byte.
std::string without_lone_surrogates(std::string_view json_text);

}  // namespace holdfast
