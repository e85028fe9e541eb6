#include "kinds/documents/find/literal_finder.h"

#include "base/text/text.h"

#include <algorithm>
#include <cstring>

#ifdef __x86_64__
#include <immintrin.h>
#endif

namespace holdfast::documents {

namespace {

// How often a byte is met in prose, roughly: the most frequent first. What is not named is seldom.
constexpr std::string_view kFrequent = " etaoinsrhldcumfpgwybvkxjqz\n.,-0123456789\"'()`*#/:[]_";

std::size_t seldomness(char c) {
  const std::size_t place = kFrequent.find(c);
  return place == std::string_view::npos ? kFrequent.size() : place;
}

char other_case(char c) {
  return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
}

}  // namespace

LiteralFinder::LiteralFinder(std::string literal, bool any_case)
    : literal_(any_case ? to_ascii_lower(literal) : std::move(literal)), any_case_(any_case) {
  const auto better = [&](std::size_t a, std::size_t b) { return seldomness(literal_[a]) > seldomness(literal_[b]); };
  for (std::size_t i = 1; i < literal_.size(); ++i)
    if (better(i, first_)) first_ = i;
  second_ = first_ == 0 && literal_.size() > 1 ? 1 : 0;
  for (std::size_t i = 0; i < literal_.size(); ++i)
    if (i != first_ && literal_[i] != literal_[first_] && better(i, second_)) second_ = i;
}

bool LiteralFinder::is_at(const char* place) const {
  if (!any_case_) return std::memcmp(place, literal_.data(), literal_.size()) == 0;
  return std::equal(literal_.begin(), literal_.end(), place,
                    [](char wanted, char c) { return c == wanted || c == other_case(wanted); });
}

#ifdef __x86_64__

// Many places at a time, as long as as many are left; where it stopped is in `from`. The same code for two widths of registers.
#define HF_FIND_WIDE(NAME, TARGET, VECTOR, SET, LOAD, EQUAL, AND, OR, MASK)                                          \
  TARGET std::size_t LiteralFinder::NAME(std::string_view text, std::size_t places, std::size_t& from) const {       \
    const VECTOR first = SET(literal_[first_]), second = SET(literal_[second_]);                                     \
    const VECTOR first_other = SET(other_case(literal_[first_])), second_other = SET(other_case(literal_[second_])); \
    for (; from + sizeof(VECTOR) <= places; from += sizeof(VECTOR)) {                                                \
      const VECTOR at_first = LOAD(reinterpret_cast<const VECTOR*>(text.data() + from + first_));                    \
      const VECTOR at_second = LOAD(reinterpret_cast<const VECTOR*>(text.data() + from + second_));                  \
      VECTOR one = EQUAL(at_first, first), two = EQUAL(at_second, second);                                           \
      if (any_case_) one = OR(one, EQUAL(at_first, first_other)), two = OR(two, EQUAL(at_second, second_other));     \
      for (auto hits = static_cast<unsigned>(MASK(AND(one, two))); hits != 0; hits &= hits - 1) {                    \
        const std::size_t at = from + static_cast<std::size_t>(__builtin_ctz(hits));                                 \
        if (is_at(text.data() + at)) return at;                                                                      \
      }                                                                                                              \
    }                                                                                                                \
    return std::string_view::npos;                                                                                   \
  }

HF_FIND_WIDE(find_16, , __m128i, _mm_set1_epi8, _mm_loadu_si128, _mm_cmpeq_epi8, _mm_and_si128, _mm_or_si128, _mm_movemask_epi8)
HF_FIND_WIDE(find_32, __attribute__((target("avx2"))), __m256i, _mm256_set1_epi8, _mm256_loadu_si256, _mm256_cmpeq_epi8,
             _mm256_and_si256, _mm256_or_si256, _mm256_movemask_epi8)
#undef HF_FIND_WIDE

#endif

std::size_t LiteralFinder::find(std::string_view text, std::size_t from) const {
  if (text.size() < literal_.size()) return std::string_view::npos;
  const std::size_t places = text.size() - literal_.size() + 1;  // where it could begin
#ifdef __x86_64__
  static const bool wide = __builtin_cpu_supports("avx2");
  if (const std::size_t at = wide ? find_32(text, places, from) : find_16(text, places, from); at != std::string_view::npos)
    return at;
#endif
  for (; from < places; ++from)
    if (is_at(text.data() + from)) return from;
  return std::string_view::npos;
}

}  // namespace holdfast::documents
