#include "store/index/search.h"

#include "store/index/candidates.h"
#include "store/index/limits.h"
#include "store/index/snippet.h"

#include <algorithm>
#include <atomic>
#include <optional>
#include <thread>
#include <unordered_map>

namespace holdfast::store::index {
namespace {

using session::Passage;
using session::PassageSources;
using session::Source;

// A thread costs as much as verifying a block.
constexpr std::size_t kAloneParts = 6;
constexpr std::uint64_t kAloneBytes = 256 << 10;
// Candidates verified between two looks at whether it is enough: few while they hold what is sought, and more and more while
// they do not.
constexpr std::size_t kFirstWave = 2, kLargestWave = 64;

std::size_t thread_limit() {
  return std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, 8);
}

// What is read in one go: a block, or the part of a source behind what is indexed.
struct Part {
  const Source* source = nullptr;
  PassageSources::Position from;
  std::uint64_t to = 0;
};

class Search {
 public:
  Search(std::shared_ptr<const IndexView> view, PassageSources& sources, const session::TextQuery& query)
      : view_(std::move(view)),
        sources_(sources),
        query_(query),
        plan_(plan_query(query, KeyHash(view_->manifest.seed))),
        hits_(query) {}

  Result<session::TextResult> run() {
    HF_TRY(listed_, sources_.list());
    if (!plan_.impossible && query_.limit > 0) {
      const std::vector<Part> tails = divide();
      read(tails, [&](std::uint64_t bytes) { return bytes >= kAloneBytes ? thread_limit() : 1; });
      walk();
    }
    return answer();
  }

 private:
  // Which sources count, and what of them is not indexed.
  std::vector<Part> divide() {
    std::vector<Part> tails;
    for (const Source& source : listed_) {
      if (query_.admits && !query_.admits(source)) continue;
      PassageSources::Position from;
      const auto known = view_->by_key.find(source.key);
      if (known != view_->by_key.end()) {
        const ManifestSource& entry = *known->second;
        if (entry.incarnation == source.incarnation && entry.offset <= source.size) {
          from = {entry.offset, entry.line};
          alive_.emplace(entry.number, &source);
        }
      }
      if (from.offset < source.size) {
        tails.push_back({&source, from, source.size});
        result_.bytes_scanned += source.size - from.offset;
      }
    }
    return tails;
  }

  // Reads the parts, by several threads when `threads` says so, and takes what was found in their order.
  template <class Threads>
  void read(const std::vector<Part>& parts, const Threads& threads) {
    std::uint64_t bytes = 0;
    for (const Part& part : parts) bytes += part.to - part.from.offset;
    std::vector<FoundIn> found(parts.size());
    std::atomic<std::size_t> next = 0;
    const auto work = [&](PassageMatcher& matcher) {
      for (std::size_t i = next++; i < parts.size(); i = next++) found[i] = read_part(parts[i], matcher);
    };
    {
      std::vector<std::jthread> others;
      const std::size_t count = std::min<std::size_t>(threads(bytes), parts.size());
      for (std::size_t i = 1; i < count; ++i)
        others.emplace_back([&] {
          PassageMatcher matcher(query_, plan_);
          work(matcher);
        });
      work(matcher_);
    }
    for (FoundIn& one : found) hits_.add(std::move(one));
  }

  FoundIn read_part(const Part& part, PassageMatcher& matcher) const {
    FoundIn found;
    // A source that cannot be read any more holds nothing; the others do.
    std::ignore = sources_.read(*part.source, part.from, part.to, [&](const Passage& passage) {
      auto match = matcher.match(passage);
      if (!match) return true;
      found.passages.push_back({part.source,
                                passage.line,
                                passage.line_begin,
                                passage.line_end,
                                passage.role,
                                passage.time,
                                *std::move(match),
                                {passage.attributes.begin(), passage.attributes.end()}});
      hits_.trim(found);
      return true;
    });
    return found;
  }

  // Candidates of a segment, asked when the walk first comes to one of its blocks.
  const BlockSet& candidates_of(std::size_t segment_index) {
    std::optional<BlockSet>& known = candidates_[segment_index];
    if (known) return *known;
    const Segment& segment = *view_->segments[segment_index];
    BlockSet among(segment.block_count());
    for (const Segment::Run& run : segment.runs())
      if (alive_.contains(run.source)) among.fill(run.begin, run.end);
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

  void walk() {
    candidates_.resize(view_->segments.size());
    std::vector<Part> wave;
    std::size_t wave_size = kFirstWave;
    for (const IndexView::Place& place : view_->newest_first) {
      if (!candidates_of(place.segment).has(place.block)) continue;
      const Segment& segment = *view_->segments[place.segment];
      const BlockEntry& block = segment.block(place.block);
      if (wave.empty() && hits_.enough(block.newest)) {
        left_out_ = true;
        return;
      }
      const Source* source = alive_.at(segment.source_of(place.block));
      if (!hits_.wants(source->session, block.newest)) {
        left_out_ = true;
        continue;
      }
      wave.push_back({source, {block.from, block.first_line}, block.to});
      if (wave.size() < wave_size) continue;
      wave_size = read_wave(wave) ? kFirstWave : std::min(wave_size * 2, kLargestWave);
    }
    read_wave(wave);
  }

  // Whether something was found.
  bool read_wave(std::vector<Part>& wave) {
    const std::size_t before = hits_.size();
    result_.blocks_read += wave.size();
    read(wave, [&](std::uint64_t) { return wave.size() > kAloneParts ? std::min<std::size_t>(thread_limit(), 2) : 1; });
    wave.clear();
    return hits_.size() > before;
  }

  session::TextResult answer() {
    result_.sessions_with_hits = hits_.sessions();
    for (FoundPassage& passage : hits_.take(result_.more)) {
      session::TextHit hit;
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
    return std::move(result_);
  }

  const std::shared_ptr<const IndexView> view_;
  PassageSources& sources_;
  const session::TextQuery& query_;
  const QueryPlan plan_;
  HitList hits_;
  PassageMatcher matcher_{query_, plan_};
  std::vector<Source> listed_;
  std::unordered_map<std::uint64_t, const Source*> alive_;  // by the manifest's number; only those that are admitted
  std::vector<std::optional<BlockSet>> candidates_;         // by segment
  session::TextResult result_;
  bool left_out_ = false;
};

}  // namespace

Result<session::TextResult> search_index(const std::shared_ptr<const IndexView>& view, PassageSources& sources,
                                         const session::TextQuery& query) {
  return Search(view, sources, query).run();
}

}  // namespace holdfast::store::index
