#pragma once

// What a character does to the words of a text: the one classifier, for everything that is indexed and everything that is asked.
//
// The properties are those of Unicode, and words end where UAX #29 ends them: letters, marks and digits of a script belong
// together, whatever they stand beside; ideographs, hiragana and the scripts whose words only a dictionary tells (Thai, Lao,
// Khmer, Burmese) are cut after every character; an emoji is a word. In three points a search wants more than a boundary, and
// finds more (docs/decisions/0018-what-a-word-is.md): katakana and Hangul are cut after every character too, because compounds
// and particles are written without blanks; a stop, colon, apostrophe or underscore within a word separates, because code is
// searched by its pieces; and a question keeps together what it joins (parse_text_query).

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace holdfast::search {

// separator: punctuation, symbols, broken bytes. letter: joins with its like. paired: a word by itself, kept in overlapping pairs
// where an index wants longer words. picture: a word by itself.
enum class CharacterKind : std::uint8_t { separator, blank, letter, paired, picture };

// The length in bytes of the character at text[at], and which it is; 0 of ASCII and of broken bytes.
std::size_t decode_character(std::string_view text, std::size_t at, std::uint32_t& code_point);

CharacterKind kind_beyond_ascii(std::uint32_t code_point);
// Of the character at text[at], beyond ASCII; sets its length (1 of a broken byte).
CharacterKind kind_beyond_ascii(std::string_view text, std::size_t at, std::size_t& length);

inline constexpr std::array<CharacterKind, 128> kAsciiKinds = [] {
  std::array<CharacterKind, 128> kinds{};
  for (const char c : {' ', '\t', '\n', '\v', '\f', '\r'}) kinds[static_cast<std::size_t>(c)] = CharacterKind::blank;
  for (std::size_t c = 'a'; c <= 'z'; ++c) kinds[c] = kinds[c - 'a' + 'A'] = CharacterKind::letter;
  for (std::size_t c = '0'; c <= '9'; ++c) kinds[c] = CharacterKind::letter;
  return kinds;
}();

inline CharacterKind kind_at(std::string_view text, std::size_t at, std::size_t& length) {
  const auto byte = static_cast<unsigned char>(text[at]);
  if (byte >= 0x80) return kind_beyond_ascii(text, at, length);
  length = 1;
  return kAsciiKinds[byte];
}
// Of the character that ends before text[end].
CharacterKind kind_before(std::string_view text, std::size_t end);

// Whether the character there is a digit, of any script.
bool is_digit_at(std::string_view text, std::size_t at);

inline bool is_of_word(CharacterKind kind) {
  return kind >= CharacterKind::letter;
}

}  // namespace holdfast::search
