#include "search/index/division.h"

namespace holdfast::search {
namespace {

std::vector<BlockSet> blocks_of(const std::unordered_map<std::uint64_t, const Source*>& alive, const IndexView& view) {
  std::vector<BlockSet> blocks;
  blocks.reserve(view.segments.size());
  for (const auto& segment : view.segments)
    blocks.push_back(segment->blocks_of([&](std::uint64_t source) { return alive.contains(source); }));
  return blocks;
}

}  // namespace

Division divide(std::shared_ptr<const IndexView> view, SourceList listed, PassageSources& sources) {
  Division division;
  IndexState& state = division.state;
  state.sources = listed->size();
  state.segments = view->segments.size();
  for (const auto& segment : view->segments) state.index_bytes += segment->bytes();
  for (const Source& source : *listed) {
    PassageSources::Position from;
    const auto known = view->by_key.find(source.key);
    if (known != view->by_key.end() && goes_on(*known->second, source, sources)) {
      from = {known->second->offset, known->second->line};
      division.alive.emplace(known->second->number, &source);
    }
    state.source_bytes += source.size;
    state.indexed_bytes += from.offset;
    if (from.offset >= source.size) continue;
    division.tails.push_back({&source, from, source.size});
    division.tail_bytes += source.size - from.offset;
  }
  division.alive_blocks = blocks_of(division.alive, *view);
  division.view = std::move(view);
  division.listed = std::move(listed);
  return division;
}

Division Division::of(const std::function<bool(const Source&)>& admits) const {
  Division some;
  some.view = view;
  some.listed = listed;
  some.state = state;
  for (const auto& [number, source] : alive)
    if (admits(*source)) some.alive.emplace(number, source);
  for (const Part& tail : tails) {
    if (!admits(*tail.source)) continue;
    some.tails.push_back(tail);
    some.tail_bytes += tail.to - tail.from.offset;
  }
  some.alive_blocks = blocks_of(some.alive, *view);
  return some;
}

Result<std::shared_ptr<const Division>> LastDivision::get(std::shared_ptr<const IndexView> view, PassageSources& sources) {
  HF_TRY(SourceList listed, sources.list());
  {
    const std::lock_guard lock(mutex_);
    if (last_ && last_->view == view && last_->listed == listed) return last_;
  }
  auto division = std::make_shared<const Division>(divide(std::move(view), std::move(listed), sources));
  // Sources that the index knows nothing of (the store's) are listed anew every time.
  if (division->alive.empty()) return division;
  const std::lock_guard lock(mutex_);
  last_ = division;
  return division;
}

}  // namespace holdfast::search
