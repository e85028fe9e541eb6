#include "search/index/places.h"

#include "search/index/candidates.h"

#include <algorithm>
#include <utility>

namespace holdfast::search {

Places::Places(std::shared_ptr<const Division> division, std::string_view key, const TextQuery& query)
    : division_(std::move(division)), plan_(plan_query(query, KeyHash(division_->view->manifest.seed))) {
  for (const Part& tail : division_->tails)
    if (tail.source->key == key) tail_ = Range{tail.from.offset, tail.to, false};
  const auto known = division_->view->by_key.find(key);
  if (known == division_->view->by_key.end() || !division_->alive.contains(known->second->number)) return;
  source_ = known->second->number;
  for (const auto& segment : division_->view->segments) {
    std::uint64_t to = 0;
    for (const Segment::Run& run : segment->runs())
      if (run.source == source_) to = std::max(to, run.to);
    if (to > 0) waiting_.push_back({segment.get(), to, false, {}});
  }
}

// A segment that was merged may have parts of the source that were written before others.
void Places::ask(Waiting& waiting) const {
  const Segment& segment = *waiting.segment;
  waiting.asked = true;
  candidates(segment, plan_, segment.blocks_of([&](std::uint64_t source) {
    return source == source_;
  })).each([&](std::size_t block) { waiting.blocks.push_back(static_cast<std::uint32_t>(block)); });
  const auto from = [&](std::uint32_t block) { return segment.block(block).from; };
  if (!std::ranges::is_sorted(waiting.blocks, {}, from)) std::ranges::sort(waiting.blocks, {}, from);
}

std::optional<Places::Range> Places::next() {
  if (tail_) return std::exchange(tail_, std::nullopt);
  while (!waiting_.empty()) {
    const auto last = std::ranges::max_element(waiting_, {}, &Waiting::to);
    std::optional<Range> found;
    if (!last->asked) {
      ask(*last);
    } else {
      const BlockEntry& block = last->segment->block(last->blocks.back());
      found = Range{block.from, block.to, true};
      last->blocks.pop_back();
    }
    if (last->blocks.empty())
      waiting_.erase(last);
    else
      last->to = last->segment->block(last->blocks.back()).to;
    if (found) return found;
  }
  return std::nullopt;
}

}  // namespace holdfast::search
