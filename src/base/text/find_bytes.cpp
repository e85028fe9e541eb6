#include "base/text/find_bytes.h"

#include <emmintrin.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

namespace holdfast {
namespace {

constexpr std::size_t kStep = 16;

// How frequent a byte is, roughly: small letters by their order in English, everything else in between.
constexpr std::array<std::uint8_t, 256> kFrequency = [] {
  std::array<std::uint8_t, 256> frequency{};
  for (std::size_t c = 0; c < 256; ++c) frequency[c] = c >= 0x80 ? 20 : 4;
  for (std::size_t c = '0'; c <= '9'; ++c) frequency[c] = 14;
  for (const char c : std::string_view("_./-,:\"\\()\n")) frequency[static_cast<unsigned char>(c)] = 16;
  std::uint8_t rank = 40;
  for (const char c : std::string_view("etaoinsrlhdcumpfgwybvkxjqz")) frequency[static_cast<unsigned char>(c)] = rank--;
  frequency[' '] = 50;
  return frequency;
}();

std::uint8_t frequency_of(char c) {
  return kFrequency[static_cast<unsigned char>(c)];
}

struct Characters {
  std::size_t first = 0, second = 0;
};

Characters rarest(std::string_view what) {
  Characters characters;
  for (std::size_t i = 1; i < what.size(); ++i)
    if (frequency_of(what[i]) < frequency_of(what[characters.first])) characters.first = i;
  characters.second = characters.first == 0 ? what.size() - 1 : 0;
  for (std::size_t i = 0; i < what.size(); ++i)
    if (i != characters.first && frequency_of(what[i]) < frequency_of(what[characters.second])) characters.second = i;
  return characters;
}

// Exactly, and without regard to the case of the text's letters. Setting this bit makes small letters of capital ones, and some
// other characters equal; the comparison of the whole tells them apart.
constexpr char kSmall = 0x20;

struct Exactly {
  static __m128i of(__m128i bytes) { return bytes; }
  static char of(char c) { return c; }
  static bool same(const char* text, std::string_view what) { return std::memcmp(text, what.data(), what.size()) == 0; }
};
struct AnyCase {
  static __m128i of(__m128i bytes) { return _mm_or_si128(bytes, _mm_set1_epi8(kSmall)); }
  static char of(char c) { return static_cast<char>(c | kSmall); }
  static bool same(const char* text, std::string_view what) {
    for (std::size_t i = 0; i < what.size(); ++i) {
      const char c = text[i] >= 'A' && text[i] <= 'Z' ? static_cast<char>(text[i] | kSmall) : text[i];
      if (c != what[i]) return false;
    }
    return true;
  }
};

template <class Compare>
std::size_t find_with(std::string_view text, std::string_view what, std::size_t from, Characters characters) {
  if (from > text.size() || what.size() > text.size() - from) return std::string_view::npos;
  if (what.empty()) return from;
  const __m128i first = _mm_set1_epi8(Compare::of(what[characters.first])),
                second = _mm_set1_epi8(Compare::of(what[characters.second]));
  const char* data = text.data();
  const auto load = [&](std::size_t at) { return Compare::of(_mm_loadu_si128(reinterpret_cast<const __m128i*>(data + at))); };
  const std::size_t last = text.size() - what.size();  // where it may begin
  std::size_t at = from;
  // The loads reach no further than the text: what begins at at + 15 must end within it.
  for (; at + kStep - 1 <= last; at += kStep) {
    const __m128i both =
        _mm_and_si128(_mm_cmpeq_epi8(load(at + characters.first), first), _mm_cmpeq_epi8(load(at + characters.second), second));
    for (auto mask = static_cast<unsigned>(_mm_movemask_epi8(both)); mask != 0; mask &= mask - 1) {
      const std::size_t place = at + static_cast<std::size_t>(std::countr_zero(mask));
      if (Compare::same(data + place, what)) return place;
    }
  }
  for (; at <= last; ++at)
    if (Compare::same(data + at, what)) return at;
  return std::string_view::npos;
}

}  // namespace

std::size_t find_bytes(std::string_view text, std::string_view what, std::size_t from) {
  return find_with<Exactly>(text, what, from, rarest(what));
}

ByteFinder::ByteFinder(std::string_view what) : what_(what) {
  const Characters characters = rarest(what_);
  first_ = characters.first;
  second_ = characters.second;
}

std::size_t ByteFinder::find(std::string_view text, std::size_t from) const {
  return find_with<Exactly>(text, what_, from, {first_, second_});
}

std::size_t ByteFinder::find_any_case(std::string_view text, std::size_t from) const {
  return find_with<AnyCase>(text, what_, from, {first_, second_});
}

bool has_beyond_ascii(std::string_view text) {
  __m128i seen = _mm_setzero_si128();
  std::size_t at = 0;
  for (; at + kStep <= text.size(); at += kStep)
    seen = _mm_or_si128(seen, _mm_loadu_si128(reinterpret_cast<const __m128i*>(text.data() + at)));
  bool beyond = _mm_movemask_epi8(seen) != 0;
  for (; at < text.size(); ++at) beyond = beyond || static_cast<unsigned char>(text[at]) >= 0x80;
  return beyond;
}

}  // namespace holdfast
