// How a question becomes hits.
//
// 1. The words are folded and planned (query_plan.h): which terms, prefixes and keys a block must have that answers.
// 2. The sources are divided (division.h) into what is indexed and what was written since. The latter is read first, whole: it is
//    short, it is the newest, and nothing else says what is in it.
// 3. Each segment names its candidates (candidates.h), cheap questions first. They are asked only when the walk comes to their
//    newest block, for most walks end before.
// 4. The walk takes candidates in waves, newest first, and reads them in their sources: only the source says what stands there,
//    so what the index believes wrongly costs a read and never a wrong answer. For the best hits some blocks with prompts go
//    first, however old: what somebody asked answers better than the output that repeats its words.
// 5. Each passage is verified, weighed (passage_match.h) and kept or not (HitList). The walk ends when no block that is left can
//    change the answer; then snippets are cut, of what is shown alone.
//
// Who keeps an order of his own (a store) takes 1 to 3 from places.h and does the rest himself.

#include "search/index/search.h"

#include "search/index/candidates.h"
#include "search/index/limits.h"
#include "search/index/passage_match.h"
#include "search/index/segment/segment_builder.h"
#include "search/index/workers.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>

namespace holdfast::search {
namespace {

using Order = TextQuery::Order;

// Fewer are read before a helper has woken up; with one that was awake they took as long and half as much of the processors again
// (two threads of one core). One that is here already helps with any number.
constexpr std::size_t kAloneParts = 9;
constexpr std::uint64_t kScanAloneBytes = 256 << 10;
constexpr std::size_t kVerifyHelpers = 1, kScanHelpers = Workers::kMostHelpers;
// Candidates verified between two looks at whether it is enough: few while they hold what is sought, and a share of those that
// held nothing otherwise. For an order of the best they are first taken from as many sessions; by time it is one after another.
constexpr std::size_t kFirstRankedWave = 8, kLargestWave = 64, kMissesPerPart = 4;
constexpr std::size_t kMostPutOff = 256;

constexpr std::size_t kMostKept = 1 << 30;  // who sets no limit wants all of them

struct FoundPassage {
  const Source* source = nullptr;
  std::uint64_t line = 0, line_begin = 0, line_end = 0;
  PassageRole role = PassageRole::user;
  Millis time = 0;
  PassageMatch match;
  std::vector<std::string> attributes;
};

// Of one block or one part that is not indexed.
struct FoundIn {
  std::vector<FoundPassage> passages;
  bool cut = false;  // there were more than are kept
  std::optional<Unreadable> unreadable;
};

// What was found so far, and whether that is enough: the order, the limits, and the limit per session. One thread.
class HitList {
 public:
  explicit HitList(const TextQuery& query) : query_(query) {}

  // The most that are worth keeping of one block.
  std::size_t most_of_one() const;
  bool is_before(const FoundPassage& a, const FoundPassage& b) const;
  // Adds one, unless there are most_of_one() better ones; `complete` is asked of what is kept.
  void keep(FoundIn& found, FoundPassage passage, const std::function<void(FoundPassage&)>& complete) const;

  void add(FoundIn found);
  // Whether a block of this session, no passage of it newer than that, can still change the answer.
  bool wants(const std::string& session, Millis newest) const;
  // Whether blocks whose passages are not newer than that can.
  bool enough(Millis newest) const;

  // What was read so far does not count towards the blocks that are enough.
  void look_further() { blocks_ = 0; }

  std::size_t size() const { return found_.size(); }
  std::size_t sessions() const { return sessions_.size(); }
  // The answer, in order. `more`: the limit left something out; `more_in_sessions`: the limit per session did.
  std::vector<FoundPassage> take(bool& more, bool& more_in_sessions);

 private:
  std::size_t capped() const;

  const TextQuery& query_;
  std::vector<FoundPassage> found_;
  std::map<std::string, std::vector<Millis>, std::less<>> sessions_;  // times of hits, newest first
  std::size_t blocks_ = 0;                                            // that held something
  bool cut_ = false;
};

std::size_t HitList::most_of_one() const {
  const std::size_t most = query_.per_session > 0 ? query_.per_session * kSessionSurplus : query_.limit;
  return std::min({most, query_.limit, kMostKept}) + 1;
}

bool HitList::is_before(const FoundPassage& a, const FoundPassage& b) const {
  if (query_.order == Order::best && a.match.score != b.match.score) return a.match.score > b.match.score;
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
  if (query_.order == Order::best) return times.size() < query_.per_session * kSessionSurplus;
  return times.size() < query_.per_session || times[query_.per_session - 1] < newest;
}

std::size_t HitList::capped() const {
  if (query_.per_session == 0) return found_.size();
  std::size_t count = 0;
  for (const auto& [session, times] : sessions_) count += std::min(times.size(), query_.per_session);
  return count;
}

bool HitList::enough(Millis newest) const {
  if (query_.order == Order::best) return blocks_ >= kRankedBlocks && capped() >= query_.limit;
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

class Search {
 public:
  Search(std::shared_ptr<const Division> division, PassageSources& sources, const TextQuery& query, Pool& pool)
      : crew_(pool),
        division_(std::move(division)),
        view_(division_->view),
        sources_(sources),
        query_(query),
        plan_(plan_query(query, KeyHash(view_->manifest.seed))),
        hits_(query) {}

  TextResult run() {
    result_.index = division_->state;
    result_.bytes_scanned = division_->tail_bytes;
    if (query_.limit > 0) {
      read(division_->tails, result_.bytes_scanned < kScanAloneBytes ? 0 : kScanHelpers);
      walk();
    }
    return answer();
  }

 private:
  // Reads the parts, with helpers, and takes what was found in the order of the parts.
  void read(const std::vector<Part>& parts, std::size_t helpers) {
    std::vector<FoundIn> found(parts.size());
    crew_.share(parts.size(), helpers, [&](std::size_t part, std::size_t worker) {
      std::unique_ptr<PassageMatcher>& matcher = matchers_[worker];
      if (!matcher) matcher = std::make_unique<PassageMatcher>(query_, plan_);
      found[part] = read_part(parts[part], *matcher);
    });
    for (FoundIn& one : found) {
      if (one.unreadable &&
          std::ranges::find(result_.unreadable, one.unreadable->key, &Unreadable::key) == result_.unreadable.end())
        result_.unreadable.push_back(*std::move(one.unreadable));
      hits_.add(std::move(one));
    }
  }

  FoundIn read_part(const Part& part, PassageMatcher& matcher) const {
    FoundIn found;
    const auto read = sources_.read_wanted(*part.source, part.from, part.to, plan_.wanted, [&](const Passage& passage) {
      auto match = matcher.match(passage);
      if (!match) return true;
      const std::uint64_t line = line_of(passage, *match);
      FoundPassage one{part.source,  line,         passage.line_begin, passage.line_end,
                       passage.role, passage.time, *std::move(match),  {}};
      hits_.keep(found, std::move(one), [&](FoundPassage& kept) {
        kept.attributes.assign(passage.attributes.begin(), passage.attributes.end());
        PassageMatcher::add_excerpt(passage, kept.match);
      });
      return true;
    });
    // What is gone since it was listed holds nothing; what may not be read is named.
    if (!read && read.error().kind != ErrorKind::not_found) found.unreadable = Unreadable{part.source->key, read.error().message};
    return found;
  }

  static std::uint64_t line_of(const Passage& passage, const PassageMatch& match) {
    if (!passage.counts_lines) return passage.line;
    return passage.line + static_cast<std::uint64_t>(std::ranges::count(passage.text.substr(0, match.place), '\n'));
  }

  // Candidates of a segment, asked when the walk first comes to one of its blocks.
  const BlockSet& candidates_of(std::size_t segment_index) {
    std::optional<BlockSet>& known = candidates_[segment_index];
    if (known) return *known;
    const Segment& segment = *view_->segments[segment_index];
    BlockSet among = division_->alive_blocks[segment_index];
    if (!among.empty()) among = candidates(segment, plan_, std::move(among));
    return known.emplace(std::move(among));
  }

  // Those of them in which a person said something, or a title stands.
  const BlockSet& prompts_of(std::size_t segment_index) {
    std::optional<BlockSet>& known = prompts_[segment_index];
    if (known) return *known;
    const Segment& segment = *view_->segments[segment_index];
    BlockSet prompts = candidates_of(segment_index);
    BlockSet spoken(segment.block_count());
    for (const PassageRole role : {PassageRole::user, PassageRole::title})
      if (!prompts.empty()) segment.attributes().find(role_term(role), spoken);
    prompts.keep(spoken);
    return known.emplace(std::move(prompts));
  }

  // The best answer is often what somebody asked, long before the output that repeats its words: some blocks with prompts are
  // looked at first, however old.
  void walk() {
    candidates_.resize(view_->segments.size());
    if (plan_.is_costly())
      crew_.share(view_->segments.size(), kVerifyHelpers,
                  [&](std::size_t segment, std::size_t) { static_cast<void>(candidates_of(segment)); });
    prompts_.resize(view_->segments.size());
    if (query_.order == Order::best && query_.roles.empty() && !query_.clauses.empty()) {
      walk(Round::prompts);
      hits_.look_further();
    }
    walk(Round::all);
  }

  // Candidates, newest first; those put off come first again.
  enum class Round { prompts, all };
  void walk(Round round) {
    const auto wanted = [&](std::size_t segment) -> const BlockSet& {
      return round == Round::prompts ? prompts_of(segment) : candidates_of(segment);
    };
    const auto& [newest_first, first_places] = view_->order();
    // Segments are asked where their first block comes; in between there may be nothing to look at.
    std::size_t asked = 0, ahead = 0;  // segments, and candidates of theirs that were not come by yet
    std::size_t wave_size = first_wave(), misses = 0;
    std::vector<IndexView::Place> put_off;
    std::size_t at = 0;
    for (;;) {
      std::vector<Part> wave;
      std::unordered_map<std::string_view, std::size_t> of_session;
      std::vector<IndexView::Place> still_put_off;
      // Takes the place into the wave, puts it off when its session has enough blocks there, or leaves it out. False: enough.
      const auto take = [&](const IndexView::Place& place) {
        const Segment& segment = *view_->segments[place.segment];
        const BlockEntry& block = segment.block(place.block);
        const Source* source = division_->alive.at(segment.source_of(place.block));
        if (round == Round::prompts && seen_.size() >= kPromptBlocks) return false;
        if (round == Round::all && wave.empty() && hits_.enough(block.newest)) return false;
        if (!hits_.wants(source->session, block.newest))
          passed_over_ = passed_over_ || round == Round::all;
        else if (query_.order == Order::best && of_session[source->session] * kFirstRankedWave >= wave_size)
          still_put_off.push_back(place);
        else {
          ++of_session[source->session];
          if (round == Round::prompts) seen_.emplace(place.segment, place.block);
          wave.push_back({source, {block.from, block.first_line}, block.to});
        }
        return true;
      };
      bool enough = false;
      for (std::size_t i = 0; i < put_off.size() && !enough; ++i) {
        if (wave.size() < wave_size)
          enough = !take(put_off[i]);
        else
          still_put_off.push_back(put_off[i]);
      }
      for (; wave.size() < wave_size && still_put_off.size() < kMostPutOff && !enough; ++at) {
        if (ahead == 0) at = asked < first_places.size() ? first_places[asked] : newest_first.size();
        if (at == newest_first.size()) break;
        const IndexView::Place& place = newest_first[at];
        const BlockSet& candidates = wanted(place.segment);
        if (asked < first_places.size() && first_places[asked] == at) {
          ahead += candidates.count();
          ++asked;
        }
        if (!candidates.has(place.block)) continue;
        --ahead;
        if (round == Round::prompts || !seen_.contains({place.segment, place.block})) enough = !take(place);
      }
      if (enough) {
        if (round == Round::prompts) read_wave(wave);
        left_out_ = left_out_ || round == Round::all;
        return;
      }
      if (wave.empty()) return;
      put_off = std::move(still_put_off);
      misses = read_wave(wave) ? 0 : misses + wave.size();
      wave_size = std::clamp(misses / kMissesPerPart, first_wave(), kLargestWave);
    }
  }

  std::size_t first_wave() const { return query_.order == Order::best ? kFirstRankedWave : 1; }

  // Whether something was found.
  bool read_wave(const std::vector<Part>& wave) {
    const std::size_t before = hits_.size();
    result_.blocks_read += wave.size();
    read(wave, wave.size() < kAloneParts ? 0 : kVerifyHelpers);
    return hits_.size() > before;
  }

  TextResult answer() {
    result_.sessions_with_hits = hits_.sessions();
    for (FoundPassage& passage : hits_.take(result_.more, result_.more_in_sessions)) {
      TextHit hit;
      hit.source = *passage.source;
      hit.line = passage.line;
      hit.line_begin = passage.line_begin;
      hit.line_end = passage.line_end;
      hit.role = passage.role;
      hit.time = passage.time;
      hit.score = passage.match.score;
      Snippet snippet = make_snippet(passage.match, plan_);
      hit.snippet = std::move(snippet.text);
      hit.highlights = std::move(snippet.highlights);
      hit.attributes = std::move(passage.attributes);
      result_.hits.push_back(std::move(hit));
    }
    result_.more = result_.more || left_out_;
    result_.more_in_sessions = result_.more_in_sessions || passed_over_;
    return std::move(result_);
  }

  Workers crew_;
  const std::shared_ptr<const Division> division_;  // of the sources that are admitted
  const std::shared_ptr<const IndexView> view_;
  PassageSources& sources_;
  const TextQuery& query_;
  const QueryPlan plan_;
  HitList hits_;
  std::array<std::unique_ptr<PassageMatcher>, Workers::kMostHelpers + 1> matchers_;  // by worker
  std::vector<std::optional<BlockSet>> candidates_, prompts_;                        // by segment
  std::set<std::pair<std::size_t, std::size_t>> seen_;                               // segment and block, read for their prompts
  TextResult result_;
  bool left_out_ = false;     // there was enough before everything was looked at
  bool passed_over_ = false;  // blocks of a session that has enough
};

}  // namespace

TextResult search_index(std::shared_ptr<const Division> division, PassageSources& sources, const TextQuery& query, Pool& pool) {
  if (query.admits) division = std::make_shared<const Division>(division->of(query.admits));
  return Search(std::move(division), sources, query, pool).run();
}

}  // namespace holdfast::search
