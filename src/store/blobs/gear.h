#pragma once

// Numbers for byte values, for hashes that roll over a text: cuts (cutter.h) and resemblance (sketch.h). They are part of the
// format: other numbers cut elsewhere, and nothing kept before would be found again.

#include <array>
#include <cstdint>

namespace holdfast::store {

constexpr std::uint64_t scrambled(std::uint64_t value) {
  value += 0x9e3779b97f4a7c15U;
  value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9U;
  value = (value ^ value >> 27) * 0x94d049bb133111ebU;
  return value ^ value >> 31;
}

inline constexpr std::array<std::uint64_t, 256> kGear = [] {
  std::array<std::uint64_t, 256> numbers{};
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = scrambled(i * 0x9e3779b97f4a7c15U);
  return numbers;
}();

}  // namespace holdfast::store
