#include "search/words/characters.h"

#include <utf8proc.h>

#include <algorithm>

namespace holdfast::search {
namespace {

struct CharacterRange {
  std::uint32_t first, last;
};

// Of their letters and marks each is a word by itself. Sorted. Their digits are digits.
constexpr auto kPaired = std::to_array<CharacterRange>({
    {0x0E00, 0x0EFF},    // Thai, Lao
    {0x1000, 0x109F},    // Burmese
    {0x1100, 0x11FF},    // Hangul: parts of syllables
    {0x1780, 0x17FF},    // Khmer
    {0x1950, 0x19DF},    // Tai Le, New Tai Lue
    {0x1A20, 0x1AAF},    // Tai Tham
    {0x3005, 0x3007},    // ideographic repetition, closing, zero
    {0x3021, 0x303C},    // Hangzhou numerals, tone marks, kana repetition
    {0x3041, 0x30FF},    // hiragana, katakana
    {0x3131, 0x318E},    // Hangul: letters alone
    {0x31F0, 0x31FF},    // katakana of Ainu
    {0x3400, 0x4DBF},    // ideographs
    {0x4E00, 0x9FFF},    // ideographs
    {0xA960, 0xA97F},    // Hangul: parts of syllables
    {0xA9E0, 0xA9FF},    // Burmese
    {0xAA60, 0xAADF},    // Burmese, Tai Viet
    {0xAC00, 0xD7FF},    // Hangul
    {0xF900, 0xFAFF},    // ideographs
    {0xFF66, 0xFFDC},    // katakana and Hangul of half a width
    {0x11700, 0x1173F},  // Ahom
    {0x1AFF0, 0x1B16F},  // kana
    {0x20000, 0x3FFFF},  // ideographs
});
static_assert(std::ranges::is_sorted(kPaired, {}, &CharacterRange::first));

bool is_paired(std::uint32_t c) {
  const auto next = std::ranges::upper_bound(kPaired, c, {}, &CharacterRange::first);
  return next != kPaired.begin() && c <= (next - 1)->last;
}

// Letters in circles and squares: symbols by their category, letters when folded.
bool is_enclosed_letter(std::uint32_t c) {
  return (c >= 0x24B6 && c <= 0x24E9) || (c >= 0x1F130 && c <= 0x1F149);
}

bool is_picture(std::uint32_t c) {
  const auto bound = utf8proc_get_property(static_cast<utf8proc_int32_t>(c))->boundclass;
  return bound == UTF8PROC_BOUNDCLASS_EXTENDED_PICTOGRAPHIC || bound == UTF8PROC_BOUNDCLASS_REGIONAL_INDICATOR;
}

}  // namespace

std::size_t decode_character(std::string_view text, std::size_t at, std::uint32_t& code_point) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[at + i]); };
  const auto follows = [&](std::size_t i) { return (byte(i) & 0xC0) == 0x80; };
  const std::size_t left = text.size() - at;
  const unsigned first = byte(0);
  if (first >= 0xC2 && first < 0xE0 && left >= 2 && follows(1)) {
    code_point = (first & 0x1F) << 6 | (byte(1) & 0x3Fu);
    return 2;
  }
  if (first >= 0xE0 && first < 0xF0 && left >= 3 && follows(1) && follows(2)) {
    code_point = (first & 0x0F) << 12 | (byte(1) & 0x3Fu) << 6 | (byte(2) & 0x3Fu);
    return code_point >= 0x800 && (code_point < 0xD800 || code_point > 0xDFFF) ? 3 : 0;
  }
  if (first >= 0xF0 && first < 0xF5 && left >= 4 && follows(1) && follows(2) && follows(3)) {
    code_point = (first & 0x07) << 18 | (byte(1) & 0x3Fu) << 12 | (byte(2) & 0x3Fu) << 6 | (byte(3) & 0x3Fu);
    return code_point >= 0x10000 && code_point <= 0x10FFFF ? 4 : 0;
  }
  return 0;
}

CharacterKind kind_beyond_ascii(std::uint32_t c) {
  if (c >= 0x4E00 && c <= 0x9FFF) return CharacterKind::paired;  // most of what is not ASCII
  switch (utf8proc_category(static_cast<utf8proc_int32_t>(c))) {
    case UTF8PROC_CATEGORY_ND:
      return CharacterKind::letter;
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ME:
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_NO:
      return is_paired(c) ? CharacterKind::paired : CharacterKind::letter;
    // Not seen: joiners, soft hyphens. Folding takes most of them away. The blank of no width is one (UAX #29).
    case UTF8PROC_CATEGORY_CF:
      return c == 0x200B ? CharacterKind::blank : CharacterKind::letter;
    case UTF8PROC_CATEGORY_ZS:
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP:
      return CharacterKind::blank;
    case UTF8PROC_CATEGORY_SO:
      return is_enclosed_letter(c) ? CharacterKind::letter : is_picture(c) ? CharacterKind::picture : CharacterKind::separator;
    default:
      return CharacterKind::separator;
  }
}

CharacterKind kind_beyond_ascii(std::string_view text, std::size_t at, std::size_t& length) {
  std::uint32_t c = 0;
  length = decode_character(text, at, c);
  if (length > 0) return kind_beyond_ascii(c);
  length = 1;
  return CharacterKind::separator;
}

bool is_digit_at(std::string_view text, std::size_t at) {
  std::uint32_t c = static_cast<unsigned char>(text[at]);
  decode_character(text, at, c);
  const auto category = utf8proc_category(static_cast<utf8proc_int32_t>(c));
  return category == UTF8PROC_CATEGORY_ND || category == UTF8PROC_CATEGORY_NL || category == UTF8PROC_CATEGORY_NO;
}

CharacterKind kind_before(std::string_view text, std::size_t end) {
  std::size_t at = end - 1;
  while (at > 0 && end - at < 4 && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) --at;
  std::size_t length = 1;
  return kind_at(text, at, length);
}

}  // namespace holdfast::search
