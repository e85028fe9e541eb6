#include "transcripts/branches.h"

namespace holdfast::transcripts {
namespace {

constexpr std::size_t kTipTries = 64;  // ends that are read; a file of damaged lines alone is not read as a whole to find none

bool is_message(const IndexedLine& line) {
  return line.chained && !line.sidechain &&
         (line.kind == LineKind::prompt || line.kind == LineKind::answer || line.kind == LineKind::tool_result);
}

bool is_in_tree(const IndexedLine& line) {
  return line.chained && !line.sidechain;
}

// The last message behind `start` that descends from it: children stand behind their parents, but for slips of a batch, which
// the walk to the root mends.
std::uint32_t newest_descendant(const LineIndex& index, std::uint32_t start, const Branch::Readable& readable) {
  std::vector<bool> below(index.size(), false);
  below[start] = true;
  std::uint32_t newest = start;
  for (std::uint32_t line = start + 1; line < index.size(); ++line) {
    const std::uint32_t parent = index.parent(line);
    if (parent >= index.size() || !below[parent]) continue;
    const IndexedLine found = index.at(line);
    if (!is_in_tree(found)) continue;
    below[line] = true;
    if (is_message(found)) newest = line;
  }
  if (!readable) return newest;
  std::size_t tries = 0;
  for (std::uint32_t line = newest; line > start && tries < kTipTries; --line) {
    if (!below[line] || !is_message(index.at(line))) continue;
    if (readable(line)) return line;
    ++tries;
  }
  return tries < kTipTries ? start : newest;
}

std::optional<std::uint32_t> resumed_leaf(const LineIndex& index, const Branch::Readable& readable) {
  if (const auto named = index.leaf()) return newest_descendant(index, *named, readable);
  std::optional<std::uint32_t> newest;
  std::size_t tries = 0;
  for (std::uint32_t line = index.size(); line-- > 0 && tries < kTipTries;) {
    if (const IndexedLine found = index.at(line); !is_message(found) || found.meta) continue;
    if (!readable || readable(line)) return line;
    if (!newest) newest = line;
    ++tries;
  }
  return newest;
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

Branch Branch::of(const LineIndex& index, std::optional<std::uint32_t> through, const Readable& readable) {
  Branch branch;
  branch.on_.assign(index.size(), false);
  branch.leaf_ = through && *through < index.size() ? newest_descendant(index, *through, {}) : resumed_leaf(index, readable);
  // Circles exist: a line that is on the way already ends it.
  for (std::uint32_t line = branch.leaf_.value_or(LineIndex::kNone); line < index.size() && !branch.on_[line];
       line = above(index, line))
    branch.on_[line] = true;
  for (std::uint32_t line = 0; line < index.size(); ++line) {
    if (branch.on_[line]) continue;
    const IndexedLine found = index.at(line);
    if (!is_in_tree(found)) {
      branch.on_[line] = true;
      continue;
    }
    const std::uint32_t parent = index.parent(line);
    const bool leaves = parent < index.size() ? branch.on_[parent] && is_in_tree(index.at(parent)) : parent == LineIndex::kNone;
    if (!leaves) continue;
    if (found.kind == LineKind::prompt || found.kind == LineKind::answer) {
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
