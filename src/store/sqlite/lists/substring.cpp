#include "store/sqlite/lists/substring.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace holdfast::store {

namespace {

constexpr std::size_t kBlock = Substring::kReadBehind;

// Whether the needle can begin in the block: somewhere a byte is `first` and the one `reach` behind it is `last`. Written so that
// the compiler makes vector instructions of it.
[[gnu::always_inline]] inline bool may_begin_in(const char* block, std::size_t reach, char first, char last) {
  unsigned char any = 0;
  for (std::size_t i = 0; i < kBlock; ++i) {
    any = static_cast<unsigned char>(
        any | (static_cast<unsigned char>(block[i] == first) & static_cast<unsigned char>(block[i + reach] == last)));
  }
  return any != 0;
}

// The first block from `at` on in which it can begin; at or behind `end` when there is none.
[[gnu::always_inline]] inline std::size_t skip_blocks(std::string_view text, std::size_t at, std::string_view needle) {
  const std::size_t reach = needle.size() - 1;
  while (at + reach < text.size() && !may_begin_in(text.data() + at, reach, needle.front(), needle.back())) at += kBlock;
  return at;
}

using Skip = std::size_t (*)(std::string_view text, std::size_t at, std::string_view needle);

std::size_t skip_on_any_machine(std::string_view text, std::size_t at, std::string_view needle) {
  return skip_blocks(text, at, needle);
}

// Bit i: the needle can begin at i.
std::uint64_t places_in(const char* block, std::size_t reach, char first, char last) {
  static_assert(kBlock == 64);
  std::uint64_t places = 0;
#ifdef __SSE2__
  for (std::size_t i = 0; i < kBlock; i += sizeof(__m128i)) {
    const __m128i here = _mm_loadu_si128(reinterpret_cast<const __m128i*>(block + i));
    const __m128i there = _mm_loadu_si128(reinterpret_cast<const __m128i*>(block + i + reach));
    const __m128i both = _mm_and_si128(_mm_cmpeq_epi8(here, _mm_set1_epi8(first)), _mm_cmpeq_epi8(there, _mm_set1_epi8(last)));
    places |= std::uint64_t{static_cast<std::uint32_t>(_mm_movemask_epi8(both))} << i;
  }
#else
  for (std::size_t i = 0; i < kBlock; ++i) {
    if (block[i] == first && block[i + reach] == last) places |= std::uint64_t{1} << i;
  }
#endif
  return places;
}

#ifdef __x86_64__
// Twice as fast where there are registers of 32 bytes.
[[gnu::target("avx2")]] std::size_t skip_with_avx2(std::string_view text, std::size_t at, std::string_view needle) {
  return skip_blocks(text, at, needle);
}
Skip best_skip() {
  return __builtin_cpu_supports("avx2") ? skip_with_avx2 : skip_on_any_machine;
}
#else
Skip best_skip() {
  return skip_on_any_machine;
}
#endif

}  // namespace

Substring::Substring(std::string needle) : needle_(std::move(needle)) {
  const std::size_t size = std::min(needle_.size(), sizeof(head_));
  std::memcpy(&head_, needle_.data(), size);
  std::memset(&used_, 0xff, size);
  tail_at_ = needle_.size() - size;
  std::memcpy(&tail_, needle_.data() + tail_at_, size);
}

bool Substring::is_at(const char* place) const {
  std::uint64_t head = 0;
  std::uint64_t tail = 0;
  std::memcpy(&head, place, sizeof(head));
  std::memcpy(&tail, place + tail_at_, sizeof(tail));
  if ((((head ^ head_) | (tail ^ tail_)) & used_) != 0) return false;
  return needle_.size() <= 2 * sizeof(head) || std::memcmp(place, needle_.data(), needle_.size()) == 0;
}

std::size_t Substring::find(std::string_view text, std::size_t from) const {
  static const Skip skip = best_skip();
  if (needle_.empty()) return from <= text.size() ? from : std::string_view::npos;
  const std::size_t reach = needle_.size() - 1;
  for (std::size_t at = from; at + reach < text.size(); at = skip(text, at + kBlock, needle_)) {
    std::uint64_t places = places_in(text.data() + at, reach, needle_.front(), needle_.back());
    for (; places != 0; places &= places - 1) {
      const std::size_t place = at + static_cast<std::size_t>(std::countr_zero(places));
      if (place + reach >= text.size()) break;
      if (is_at(text.data() + place)) return place;
    }
  }
  return std::string_view::npos;
}

}  // namespace holdfast::store
