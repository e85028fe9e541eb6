#include "kinds/transcripts/lines/line_order.h"

#include <algorithm>

namespace holdfast::transcripts {
namespace {

// The line that is read before this one, whatever lies between them; LineIndex::kNone: none.
std::uint32_t read_before(const LineIndex& index, std::uint32_t line) {
  if (const std::uint32_t parent = index.parent(line); parent < index.size()) return parent;
  return index.logical_parent(line).value_or(LineIndex::kNone);
}

bool is_in_order(const LineIndex& index) {
  for (std::uint32_t line = 0; line < index.size(); ++line)
    if (const std::uint32_t before = read_before(index, line); before != LineIndex::kNone && before > line) return false;
  return true;
}

}  // namespace

LineOrder LineOrder::of(const LineIndex& index) {
  LineOrder order;
  if (is_in_order(index)) return order;
  std::vector<bool> seen(index.size(), false);
  std::vector<std::uint32_t> way;  // from a line up to the first that has its place
  order.lines_.reserve(index.size());
  for (std::uint32_t start = 0; start < index.size(); ++start) {
    way.clear();
    std::uint32_t at = start;
    for (; at < index.size() && !seen[at]; at = read_before(index, at)) {
      seen[at] = true;
      way.push_back(at);
    }
    // A circle has no first line: its lines stay as they are.
    const bool circle = at < index.size() && std::ranges::find(way, at) != way.end();
    if (circle)
      std::ranges::sort(way);
    else
      std::ranges::reverse(way);
    order.lines_.insert(order.lines_.end(), way.begin(), way.end());
  }
  order.places_.resize(order.lines_.size());
  for (std::uint32_t place = 0; place < order.lines_.size(); ++place) order.places_[order.lines_[place]] = place;
  return order;
}

}  // namespace holdfast::transcripts
