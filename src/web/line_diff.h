#pragma once

// Two texts compared line by line, for showing them side by side.

#include <cstddef>
#include <string_view>
#include <vector>

namespace holdfast::web {

// Without its line end ("\n" or "\r\n"); views into the text. A last line end begins no further line.
std::vector<std::string_view> split_lines(std::string_view text);

struct DiffRow {
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  std::size_t left = kNone, right = kNone;  // indices of lines; both: the same line, unless `changed`
  bool changed = false;                     // stand beside each other, but differ
};

// More differences than this are not looked for one by one: what lies between is one block that was replaced. Keeps the cost of
// two texts that have nothing in common at milliseconds and 8 MB.
inline constexpr std::size_t kMaxDifferences = 1'000;

// All lines of both texts, in order. Lines that took each other's place stand in one row.
std::vector<DiffRow> compare_lines(const std::vector<std::string_view>& left, const std::vector<std::string_view>& right);

}  // namespace holdfast::web
