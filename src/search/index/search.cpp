#include "search/index/search.h"

#include "search/index/candidates.h"
#include "search/index/limits.h"
#include "search/index/segment/segment_builder.h"
#include "search/index/workers.h"

#include <algorithm>
#include <array>
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
    if (query_.since || query_.until) {
      BlockSet in_time(segment.block_count());
      among.each([&](std::size_t block) {
        const BlockEntry& entry = segment.block(block);
        if ((!query_.since || entry.newest >= *query_.since) && (!query_.until || entry.oldest < *query_.until))
          in_time.add(block);
      });
      among = std::move(in_time);
    }
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
        if (ahead == 0) at = asked < view_->first_places.size() ? view_->first_places[asked] : view_->newest_first.size();
        if (at == view_->newest_first.size()) break;
        const IndexView::Place& place = view_->newest_first[at];
        const BlockSet& candidates = wanted(place.segment);
        if (asked < view_->first_places.size() && view_->first_places[asked] == at) {
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
