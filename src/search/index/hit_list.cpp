#include "search/index/hit_list.h"

#include "search/index/limits.h"

#include <algorithm>

namespace holdfast::search {

namespace {

using HitOrder = TextQuery::Order;

constexpr std::size_t kMostKept = 1 << 30;  // who sets no limit wants all of them

}  // namespace

std::size_t HitList::most_of_one() const {
  const std::size_t most = query_.per_session > 0 ? query_.per_session * kSessionSurplus : query_.limit;
  return std::min({most, query_.limit, kMostKept}) + 1;
}

bool HitList::is_before(const FoundPassage& a, const FoundPassage& b) const {
  if (query_.order == HitOrder::best && a.match.score != b.match.score) return a.match.score > b.match.score;
  if (a.time != b.time) return a.time > b.time;
  if (a.source->key != b.source->key) return a.source->key < b.source->key;
  return a.line > b.line;
}

void HitList::keep(FoundIn& found, FoundPassage passage, const std::function<void(FoundPassage&)>& complete) const {
  // A heap with the worst on top.
  const auto worse_below = [this](const FoundPassage& a, const FoundPassage& b) { return is_before(a, b); };
  std::vector<FoundPassage>& kept = found.passages;
  if (kept.size() >= most_of_one()) {
    found.cut = true;
    if (!is_before(passage, kept.front())) return;
    std::ranges::pop_heap(kept, worse_below);
    kept.pop_back();
  }
  complete(passage);
  kept.push_back(std::move(passage));
  std::ranges::push_heap(kept, worse_below);
}

void HitList::add(FoundIn found) {
  cut_ = cut_ || found.cut;
  if (!found.passages.empty()) ++blocks_;
  for (FoundPassage& passage : found.passages) {
    auto& times = sessions_[passage.source->session];
    times.insert(std::ranges::upper_bound(times, passage.time, std::greater<>()), passage.time);
    found_.push_back(std::move(passage));
  }
}

bool HitList::wants(const std::string& session, Millis newest) const {
  if (query_.per_session == 0) return true;
  const auto known = sessions_.find(session);
  if (known == sessions_.end()) return true;
  const std::vector<Millis>& times = known->second;
  if (query_.order == HitOrder::best) return times.size() < query_.per_session * kSessionSurplus;
  return times.size() < query_.per_session || times[query_.per_session - 1] < newest;
}

std::size_t HitList::capped() const {
  if (query_.per_session == 0) return found_.size();
  std::size_t count = 0;
  for (const auto& [session, times] : sessions_) count += std::min(times.size(), query_.per_session);
  return count;
}

bool HitList::enough(Millis newest) const {
  if (query_.order == HitOrder::best) return blocks_ >= kRankedBlocks && capped() >= query_.limit;
  if (capped() < query_.limit) return false;
  if (query_.limit == 0) return true;
  std::vector<Millis> times;
  for (const auto& [session, all] : sessions_)
    times.insert(times.end(), all.begin(),
                 query_.per_session == 0 ? all.end()
                                         : all.begin() + static_cast<std::ptrdiff_t>(std::min(all.size(), query_.per_session)));
  const auto last = times.begin() + static_cast<std::ptrdiff_t>(query_.limit - 1);
  std::ranges::nth_element(times, last, std::greater<>());
  return *last >= newest;
}

std::vector<FoundPassage> HitList::take(bool& more, bool& more_in_sessions) {
  std::ranges::sort(found_, [this](const FoundPassage& a, const FoundPassage& b) { return is_before(a, b); });
  std::vector<FoundPassage> answer;
  std::map<std::string_view, std::size_t> of_session;
  // What was cut of one block is more of its session, unless there is no limit on those.
  (query_.per_session == 0 ? more : more_in_sessions) |= cut_;
  for (FoundPassage& passage : found_) {
    if (query_.per_session > 0 && of_session[passage.source->session] >= query_.per_session) {
      more_in_sessions = true;
    } else if (answer.size() >= query_.limit) {
      more = true;
    } else {
      ++of_session[passage.source->session];
      answer.push_back(std::move(passage));
    }
  }
  return answer;
}

}  // namespace holdfast::search
