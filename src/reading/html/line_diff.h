#pragma once

// Which lines a change took out and put in: enough to show an edit, not a tool for merging.

#include <string_view>
#include <vector>

namespace holdfast::reading {

struct DiffLine {
  char sign = ' ';  // '+', '-', ' ', or '@' for a heading
  std::string_view text;
};

// Views of the two texts. Equal beginnings and ends are kept apart from the middle, which is compared line by line as long as it
// is small (kDiffCells); a larger one is shown as taken out and put in whole.
inline constexpr std::size_t kDiffCells = 1024 * 1024;  // lines times lines: some milliseconds, a byte each
std::vector<DiffLine> diff_lines(std::string_view before, std::string_view after);

// The lines of a patch by their signs.
std::vector<DiffLine> patch_lines(std::string_view patch);

}  // namespace holdfast::reading
