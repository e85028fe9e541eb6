#include "kinds/transcripts/lines/branches.h"

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

namespace {

constexpr std::size_t kTipTries = 64;  // ends that are read; a file of damaged lines alone is not read as a whole to find none

bool is_message(const IndexedLine& line) {
  return line.chained && !line.sidechain &&
         (line.kind == LineKind::prompt || line.kind == LineKind::answer || line.kind == LineKind::tool_result);
}

bool is_in_tree(const IndexedLine& line) {
  return line.chained && !line.sidechain;
}

// For every line whether it hangs below `start`, or is it. Each is walked up from once; a child may stand before its parent.
std::vector<bool> below(const LineIndex& index, std::uint32_t start) {
  std::vector<bool> known(index.size(), false), found(index.size(), false);
  known[start] = found[start] = true;
  std::vector<std::uint32_t> way;
  for (std::uint32_t line = 0; line < index.size(); ++line) {
    way.clear();
    std::uint32_t at = line;
    for (; at < index.size() && !known[at]; at = is_in_tree(index.at(at)) ? index.parent(at) : LineIndex::kNone) {
      known[at] = true;
      way.push_back(at);
    }
    if (at >= index.size() || !found[at]) continue;
    for (const std::uint32_t each : way) found[each] = true;
  }
  return found;
}

// Of the messages that count the last in the file that none of them hangs below. Where it cannot be read, the last that can.
std::optional<std::uint32_t> newest_end(const LineIndex& index, const std::function<bool(std::uint32_t)>& counts,
                                        const Branch::Readable& readable) {
  std::vector<bool> passed(index.size(), false);  // a message that counts hangs below
  for (std::uint32_t line = 0; line < index.size(); ++line) {
    if (!counts(line)) continue;
    for (std::uint32_t up = index.parent(line); up < index.size() && !passed[up] && up != line; up = index.parent(up)) {
      passed[up] = true;
      if (counts(up)) break;
    }
  }
  const auto last = [&](auto&& wanted) -> std::optional<std::uint32_t> {
    for (std::uint32_t line = index.size(); line-- > 0;)
      if (counts(line) && wanted(line)) return line;
    return std::nullopt;
  };
  auto newest = last([&](std::uint32_t line) { return !passed[line]; });
  if (!newest) newest = last([](std::uint32_t) { return true; });  // all in a circle
  if (!newest || !readable || readable(*newest)) return newest;
  std::size_t tries = 0;
  const auto other = last([&](std::uint32_t line) { return tries >= kTipTries || readable(line) || ++tries >= kTipTries; });
  return tries < kTipTries && other ? other : newest;
}

std::uint32_t newest_descendant(const LineIndex& index, std::uint32_t start, const Branch::Readable& readable) {
  const std::vector<bool> is_below = below(index, start);
  const auto counts = [&](std::uint32_t line) { return is_below[line] && is_message(index.at(line)); };
  return newest_end(index, counts, readable).value_or(start);
}

std::optional<std::uint32_t> resumed_leaf(const LineIndex& index, const Branch::Readable& readable) {
  if (const auto named = index.leaf()) return newest_descendant(index, *named, readable);
  const auto counts = [&](std::uint32_t line) {
    const IndexedLine found = index.at(line);
    return is_message(found) && !found.meta;
  };
  return newest_end(index, counts, readable);
}

// Where the way up goes on from a line.
std::uint32_t above(const LineIndex& index, std::uint32_t line) {
  const std::uint32_t parent = index.parent(line);
  if (parent < index.size()) return parent;
  if (const auto logical = index.logical_parent(line)) return *logical;
  if (parent == LineIndex::kNone && index.at(line).kind != LineKind::compaction) return LineIndex::kNone;
  for (std::uint32_t before = line; before-- > 0;)
    if (is_in_tree(index.at(before))) return before;
  return LineIndex::kNone;
}

}  // namespace

Branch Branch::of(const LineIndex& index, const LineOrder& order, std::optional<std::uint32_t> through,
                  const Readable& readable) {
  Branch branch;
  branch.on_.assign(index.size(), false);
  branch.leaf_ = through && *through < index.size() ? newest_descendant(index, *through, {}) : resumed_leaf(index, readable);
  // Circles exist: a line that is on the way already ends it.
  for (std::uint32_t line = branch.leaf_.value_or(LineIndex::kNone); line < index.size() && !branch.on_[line];
       line = above(index, line))
    branch.on_[line] = true;
  // Parents before their children.
  for (std::uint32_t place = 0; place < index.size(); ++place) {
    const std::uint32_t line = order.line(place);
    if (branch.on_[line]) continue;
    const IndexedLine found = index.at(line);
    if (!is_in_tree(found)) {
      branch.on_[line] = true;
      continue;
    }
    const std::uint32_t parent = index.parent(line);
    const bool leaves = parent < index.size() ? branch.on_[parent] && is_in_tree(index.at(parent)) : parent == LineIndex::kNone;
    if (!leaves) continue;
    const bool is_summary = found.meta && parent < index.size() && index.at(parent).kind == LineKind::compaction;
    if ((found.kind == LineKind::prompt || found.kind == LineKind::answer) && !is_summary) {
      branch.forks_[parent].push_back(line);
    } else {
      branch.on_[line] = true;  // answers to parallel calls, and what the client noted beside them
    }
  }
  return branch;
}

const std::vector<std::uint32_t>& Branch::forks(std::uint32_t line) const {
  static const std::vector<std::uint32_t> kNoForks;
  const auto found = forks_.find(line);
  return found == forks_.end() ? kNoForks : found->second;
}

}  // namespace holdfast::transcripts
