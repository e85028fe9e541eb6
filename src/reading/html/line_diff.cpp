#include "reading/html/line_diff.h"

#include <algorithm>
#include <cstdint>

namespace holdfast::reading {
namespace {

using Lines = std::vector<std::string_view>;

Lines lines_of(std::string_view text) {
  Lines lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return lines;
}

// The longest common subsequence by its table of directions; lengths need two rows only.
void compare(const Lines& before, const Lines& after, std::size_t from, std::size_t before_end, std::size_t after_end,
             std::vector<DiffLine>& out) {
  const std::size_t rows = before_end - from, columns = after_end - from;
  constexpr std::uint8_t kBoth = 0, kDrop = 1, kAdd = 2;
  std::vector<std::uint8_t> steps(rows * columns, kBoth);
  std::vector<std::uint32_t> below(columns + 1, 0), row(columns + 1, 0);
  for (std::size_t i = rows; i-- > 0;) {
    for (std::size_t j = columns; j-- > 0;) {
      if (before[from + i] == after[from + j]) {
        row[j] = below[j + 1] + 1;
      } else {
        const bool dropped = below[j] >= row[j + 1];
        row[j] = dropped ? below[j] : row[j + 1];
        steps[i * columns + j] = dropped ? kDrop : kAdd;
      }
    }
    std::swap(row, below);
  }
  std::size_t i = 0, j = 0;
  while (i < rows || j < columns) {
    const std::uint8_t step = i == rows ? kAdd : j == columns ? kDrop : steps[i * columns + j];
    if (step == kAdd) {
      out.push_back({'+', after[from + j++]});
    } else {
      out.push_back({step == kBoth ? ' ' : '-', before[from + i++]});
      j += step == kBoth ? 1 : 0;
    }
  }
}

}  // namespace

std::vector<DiffLine> diff_lines(std::string_view before, std::string_view after) {
  const Lines a = lines_of(before), b = lines_of(after);
  std::size_t head = 0, tail = 0;
  const std::size_t shorter = std::min(a.size(), b.size());
  while (head < shorter && a[head] == b[head]) ++head;
  while (tail < shorter - head && a[a.size() - 1 - tail] == b[b.size() - 1 - tail]) ++tail;
  std::vector<DiffLine> out;
  for (std::size_t i = 0; i < head; ++i) out.push_back({' ', a[i]});
  const std::size_t a_end = a.size() - tail, b_end = b.size() - tail;
  if ((a_end - head) * (b_end - head) <= kDiffCells) {
    compare(a, b, head, a_end, b_end, out);
  } else {
    for (std::size_t i = head; i < a_end; ++i) out.push_back({'-', a[i]});
    for (std::size_t i = head; i < b_end; ++i) out.push_back({'+', b[i]});
  }
  for (std::size_t i = a_end; i < a.size(); ++i) out.push_back({' ', a[i]});
  return out;
}

std::vector<DiffLine> patch_lines(std::string_view patch) {
  std::vector<DiffLine> out;
  for (const std::string_view line : lines_of(patch)) {
    const char sign = line.empty() ? ' ' : line.front();
    const bool heading =
        line.starts_with("@@") || line.starts_with("***") || line.starts_with("+++ ") || line.starts_with("--- ");
    if (heading)
      out.push_back({'@', line});
    else if (sign == '+' || sign == '-' || sign == ' ')
      out.push_back({sign, line.substr(line.empty() ? 0 : 1)});
    else
      out.push_back({' ', line});
  }
  return out;
}

}  // namespace holdfast::reading
