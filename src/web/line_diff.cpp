#include "web/line_diff.h"

#include <algorithm>

namespace holdfast::web {

namespace {

using Lines = std::vector<std::string_view>;

struct Same {
  std::size_t left, right;
};

// Myers' greedy search for the shortest edit script of two middle parts; the trace of every round is kept to walk back. Empty
// when there are more than kMaxDifferences: then nothing counts as the same.
std::vector<Same> common_lines(const Lines& left, const Lines& right, std::size_t skip, std::size_t left_end,
                               std::size_t right_end) {
  const auto n = static_cast<std::ptrdiff_t>(left_end - skip), m = static_cast<std::ptrdiff_t>(right_end - skip);
  const auto most = std::min(n + m, static_cast<std::ptrdiff_t>(kMaxDifferences));
  const auto at = [&](const Lines& lines, std::ptrdiff_t i) { return lines[skip + static_cast<std::size_t>(i)]; };
  std::vector<std::ptrdiff_t> reach(static_cast<std::size_t>(2 * most + 3), 0);
  const auto slot = [&](std::ptrdiff_t k) { return static_cast<std::size_t>(k + most + 1); };
  std::vector<std::vector<std::ptrdiff_t>> trace;
  std::ptrdiff_t rounds = -1;
  for (std::ptrdiff_t d = 0; d <= most && rounds < 0; ++d) {
    trace.emplace_back(reach.begin() + static_cast<std::ptrdiff_t>(slot(-d - 1)),
                       reach.begin() + static_cast<std::ptrdiff_t>(slot(d + 1)) + 1);
    for (std::ptrdiff_t k = -d; k <= d; k += 2) {
      const bool down = k == -d || (k != d && reach[slot(k - 1)] < reach[slot(k + 1)]);
      std::ptrdiff_t x = down ? reach[slot(k + 1)] : reach[slot(k - 1)] + 1;
      while (x < n && x - k < m && x - k >= 0 && at(left, x) == at(right, x - k)) ++x;
      reach[slot(k)] = x;
      if (x >= n && x - k >= m) rounds = d;
    }
  }
  std::vector<Same> same;
  if (rounds < 0) return same;
  std::ptrdiff_t x = n, y = m;
  for (std::ptrdiff_t d = rounds; d >= 0; --d) {
    const std::vector<std::ptrdiff_t>& before = trace[static_cast<std::size_t>(d)];  // of k = -d-1 ... d+1
    const auto reached = [&](std::ptrdiff_t k) { return before[static_cast<std::size_t>(k + d + 1)]; };
    const std::ptrdiff_t k = x - y;
    const bool down = k == -d || (k != d && reached(k - 1) < reached(k + 1));
    const std::ptrdiff_t from_k = down ? k + 1 : k - 1;
    const std::ptrdiff_t from_x = d == 0 ? 0 : reached(from_k), from_y = d == 0 ? 0 : from_x - from_k;
    while (x > from_x && y > from_y) {
      --x, --y;
      same.push_back({skip + static_cast<std::size_t>(x), skip + static_cast<std::size_t>(y)});
    }
    x = from_x, y = from_y;
  }
  std::ranges::reverse(same);
  return same;
}

}  // namespace

std::vector<std::string_view> split_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back(line);
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return lines;
}

std::vector<DiffRow> compare_lines(const Lines& left, const Lines& right) {
  std::size_t skip = 0, left_end = left.size(), right_end = right.size();
  while (skip < left_end && skip < right_end && left[skip] == right[skip]) ++skip;
  while (left_end > skip && right_end > skip && left[left_end - 1] == right[right_end - 1]) --left_end, --right_end;

  std::vector<DiffRow> rows;
  for (std::size_t i = 0; i < skip; ++i) rows.push_back({i, i, false});
  std::size_t l = skip, r = skip;
  const auto differ_until = [&](std::size_t to_left, std::size_t to_right) {
    for (; l < to_left && r < to_right; ++l, ++r) rows.push_back({l, r, true});
    for (; l < to_left; ++l) rows.push_back({l, DiffRow::kNone, true});
    for (; r < to_right; ++r) rows.push_back({DiffRow::kNone, r, true});
  };
  for (const Same& same : common_lines(left, right, skip, left_end, right_end)) {
    differ_until(same.left, same.right);
    rows.push_back({l++, r++, false});
  }
  differ_until(left_end, right_end);
  for (; l < left.size(); ++l, ++r) rows.push_back({l, r, false});
  return rows;
}

}  // namespace holdfast::web
