#include "documents/literal_finder.h"

#include "base/text.h"

#include <algorithm>
#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
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

std::size_t LiteralFinder::find(std::string_view text, std::size_t from) const {
  if (text.size() < literal_.size()) return std::string_view::npos;
  const std::size_t places = text.size() - literal_.size() + 1;  // where it could begin
#ifdef __SSE2__
  constexpr std::size_t kStep = sizeof(__m128i);
  const auto all = [](char c) { return _mm_set1_epi8(c); };
  const auto load = [&](std::size_t at) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(text.data() + at)); };
  const __m128i first = all(literal_[first_]), second = all(literal_[second_]);
  const __m128i first_other = all(other_case(literal_[first_])), second_other = all(other_case(literal_[second_]));
  for (; from + kStep <= places; from += kStep) {
    const __m128i at_first = load(from + first_), at_second = load(from + second_);
    __m128i both = _mm_and_si128(_mm_cmpeq_epi8(at_first, first), _mm_cmpeq_epi8(at_second, second));
    if (any_case_) {
      const __m128i one = _mm_or_si128(_mm_cmpeq_epi8(at_first, first), _mm_cmpeq_epi8(at_first, first_other));
      const __m128i two = _mm_or_si128(_mm_cmpeq_epi8(at_second, second), _mm_cmpeq_epi8(at_second, second_other));
      both = _mm_and_si128(one, two);
    }
    for (auto hits = static_cast<unsigned>(_mm_movemask_epi8(both)); hits != 0; hits &= hits - 1) {
      const std::size_t at = from + static_cast<std::size_t>(__builtin_ctz(hits));
      if (is_at(text.data() + at)) return at;
    }
  }
#endif
  for (; from < places; ++from)
    if (is_at(text.data() + from)) return from;
  return std::string_view::npos;
}

}  // namespace holdfast::documents
