#include "base/text/text.h"
#include "kinds/research/sources/providers.h"
#include "search/folder/chunk_index.h"
#include "search/query/snippet.h"
#include "search/words/bm25.h"
#include "session/kinds.h"
#include "session/limits.h"
#include "session/record.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace holdfast::research {
namespace {

constexpr std::size_t kMaxLookedUp = 12;       // words: each is a search of its own
constexpr std::size_t kMaxCandidates = 200;    // entries that are read and scored: a few milliseconds
constexpr std::size_t kHitsOfOneSession = 20;  // of one word, so that a long session does not hide the others
// A longer entry is represented by its best chunk: what a report can quote.
constexpr std::size_t kMaxWholeBytes = 8 * 1024;
constexpr double kTranscriptPassages = 10'000;  // taken for how many there are, which nobody counts
constexpr double kOtherProject = 0.7;           // sessions of another project must fit clearly better to come first

using Place = session::EntryPlace;

struct Candidate {
  std::string session, kind, title, root_uri, locator;
  std::int64_t place = 0;  // of the entry or line
  Millis time = 0;
  std::string whole;
  std::string_view text;  // all of it, or the part that stands for it
  search::WordCounts counted;
};

class SessionSearch {
 public:
  SessionSearch(session::Store& store, const PastTranscripts& transcripts, const SearchAsk& ask, std::vector<std::string> words)
      : store_(store), transcripts_(transcripts), ask_(ask), words_(std::move(words)) {
    if (words_.size() > kMaxLookedUp) words_.resize(kMaxLookedUp);
  }

  Result<std::vector<Found>> run() {
    if (words_.empty()) return std::vector<Found>();
    HF_CHECK(look_up());
    HF_CHECK(read_candidates());
    HF_TRY(const std::int64_t entries, store_.last_sequence());
    return score(static_cast<double>(entries) + (texts_seen_.empty() ? 0 : kTranscriptPassages));
  }

 private:
  Result<std::vector<Place>> places_of(const std::string& text) {
    if (ask_.cancelled && ask_.cancelled()) return fail(ErrorKind::cancelled, "stopped while searching sessions");
    if (std::chrono::steady_clock::now() >= ask_.deadline) return fail(ErrorKind::timeout, "searching sessions took too long");
    session::SearchQuery query;
    query.text = text;
    // Not earlier research: a report that quotes reports would say something else each time it is asked for.
    query.kinds = {std::string(session::kThread), std::string(session::kReasoning)};
    query.principal = ask_.principal;
    query.roots = ask_.projects;
    query.limit = session::kMaxSearchLimit;
    query.per_session = kHitsOfOneSession;
    query.entries_only = true;  // titles are no sources
    HF_TRY(const session::SearchResult result, store_.search(query));
    std::vector<Place> places;
    for (const session::SearchHit& hit : result.hits)
      if (hit.type != "notice" && hit.session != ask_.exclude_session) places.push_back({hit.session, hit.seq});
    return places;
  }

  // Of clones and forks what they have in common is one text.
  Result<std::vector<PastText>> texts_of(const std::string& words) {
    std::vector<PastText> texts;
    if (!transcripts_) return texts;
    HF_TRY(texts, transcripts_(ask_, words));
    std::erase_if(texts, [this](const PastText& each) { return each.session == ask_.exclude_session; });
    return texts;
  }

  void take(const std::vector<Place>& places, std::vector<PastText>& texts) {
    for (const Place& place : places)
      if (places_.size() < kMaxCandidates) places_.insert(place);
    for (PastText& text : texts) {
      if (texts_seen_.size() == kMaxCandidates || !texts_seen_.insert(text.text).second) continue;
      candidates_.push_back({std::move(text.session),
                             std::string(session::kTranscript),
                             std::move(text.title),
                             std::move(text.root_uri),
                             fmt::format("line {}", text.line),
                             static_cast<std::int64_t>(text.line),
                             text.time,
                             std::move(text.text),
                             {},
                             {}});
    }
  }

  // Those that hold every word first, then those of the rarest words.
  Result<void> look_up() {
    std::string all;
    for (const std::string& word : words_) {
      HF_TRY(std::vector<Place> places, places_of(word));
      HF_TRY(std::vector<PastText> texts, texts_of(word));
      holding_.push_back(places.size() + texts.size());
      places_of_word_.push_back(std::move(places));
      texts_of_word_.push_back(std::move(texts));
      all += word + ' ';
    }
    if (all.size() <= session::kMaxSearchTextBytes) {
      HF_TRY(const std::vector<Place> places, places_of(all));
      HF_TRY(std::vector<PastText> texts, texts_of(all));
      take(places, texts);
    }
    std::vector<std::size_t> order(words_.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::sort(order, {}, [this](std::size_t i) { return std::pair(holding_[i], i); });
    for (const std::size_t word : order) take(places_of_word_[word], texts_of_word_[word]);
    return {};
  }

  // Not what must not be shown any more since it was found.
  Result<void> read_records() {
    std::set<std::string> ids;
    for (const Place& place : places_) ids.insert(place.session);
    HF_TRY(auto records, store_.get_each({ids.begin(), ids.end()}));
    for (session::SessionRecord& record : records)
      if (record.principal == ask_.principal && record.visibility != session::Visibility::deleted &&
          session::is_inside(ask_.projects, record))
        records_.emplace(record.id, std::move(record));
    return {};
  }

  Result<void> read_candidates() {
    HF_CHECK(read_records());
    HF_TRY(auto entries, store_.entry_each({places_.begin(), places_.end()}));
    for (session::Entry& entry : entries) {
      const auto record = records_.find(entry.session);
      if (record == records_.end() || entry.redacted || entry.damage || entry.text.empty()) continue;
      const session::SessionRecord& of = record->second;
      std::string locator =
          entry.number != 0 ? fmt::format("{} {}", entry.type, entry.number) : fmt::format("entry {}", entry.seq);
      candidates_.push_back({of.id,
                             of.kind,
                             of.title.empty() ? of.opening : of.title,
                             of.root_uri,
                             std::move(locator),
                             entry.seq,
                             entry.time,
                             std::move(entry.text),
                             {},
                             {}});
    }
    for (Candidate& candidate : candidates_) {  // now that nothing moves any more
      candidate.text = best_part(candidate.whole);
      candidate.counted = search::count_words(candidate.text, words_);
    }
    return {};
  }

  std::string_view best_part(std::string_view text) const {
    if (text.size() <= kMaxWholeBytes) return text;
    std::string_view best = text.substr(0, 0);
    std::uint64_t most = 0;
    for (const search::ChunkPlace& place : search::cut_chunks(text)) {
      const std::string_view part = text.substr(place.offset, place.length);
      std::uint64_t held = 0;  // different words first, then how often
      for (const std::uint32_t count : search::count_words(part, words_).counts)
        held += count == 0 ? 0 : 1000 + std::min(count, 999U);
      if (held > most) {
        most = held;
        best = part;
      }
    }
    return best;
  }

  std::vector<Found> score(double entries) {
    double length = 0, most = 0;
    for (const Candidate& candidate : candidates_) length += candidate.counted.length;
    const double mean = candidates_.empty() ? 0 : length / static_cast<double>(candidates_.size());
    std::vector<double> weights;
    for (const std::size_t holding : holding_) {
      weights.push_back(search::word_weight(entries, std::min(static_cast<double>(holding), entries)));
      most += weights.back() * search::kHighestTerm;
    }
    std::vector<Found> found;
    for (const Candidate& candidate : candidates_) {
      double score = 0;
      const double norm = search::length_norm(candidate.counted.length, mean);
      for (std::size_t i = 0; i < words_.size(); ++i) score += weights[i] * search::term_score(candidate.counted.counts[i], norm);
      if (score <= 0) continue;
      const bool other = !ask_.root_uri.empty() && candidate.root_uri != ask_.root_uri;
      found.push_back(found_of(candidate, score / most * (other ? kOtherProject : 1)));
    }
    return found;
  }

  Found found_of(const Candidate& candidate, double share) const {
    Found found;
    found.uri = fmt::format("holdfast://sessions/{}#{}", candidate.session, candidate.place);
    found.locator = candidate.locator;
    // With the place, because a source of the same title counts as the same source.
    found.title = fmt::format("{} ({} {}, {})", candidate.title.empty() ? "Untitled" : shorten(candidate.title, 150),
                              candidate.kind, candidate.session, found.locator);
    found.type = "transcript";
    found.snippet = search::snippet_of(candidate.text, {words_, {}}, search::SnippetForm::one_line, kSnippetCharacters).text;
    found.content = to_valid_utf8(candidate.text);
    found.score = share;
    found.published = iso8601(candidate.time);
    return found;
  }

  session::Store& store_;
  const PastTranscripts& transcripts_;
  const SearchAsk& ask_;
  std::vector<std::string> words_;
  std::vector<std::size_t> holding_;  // entries, of each word; as far as one search tells
  std::vector<std::vector<Place>> places_of_word_;
  std::vector<std::vector<PastText>> texts_of_word_;
  std::set<Place> places_;
  std::set<std::string> texts_seen_;
  std::map<std::string, session::SessionRecord> records_;
  std::vector<Candidate> candidates_;
};

}  // namespace

Result<std::vector<Found>> search_sessions(session::Store& store, const PastTranscripts& transcripts, const SearchAsk& ask,
                                           const std::vector<std::string>& words) {
  return SessionSearch(store, transcripts, ask, words).run();
}

}  // namespace holdfast::research
