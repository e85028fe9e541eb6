#include "kinds/research/corpus/corpus_index.h"

#include "kinds/research/corpus/corpus.h"
#include "search/words/bm25.h"
#include "search/words/words.h"

#include <algorithm>
#include <unordered_set>

namespace holdfast::research {
namespace {

// Enough of the start of a query for kMaxQueryWords words of any length.
constexpr std::size_t kMaxQueryBytes = 64 * 1024;

constexpr double kFurtherWeight = 0.4;  // of a word that was not asked for itself

bool better(const ScoredChunk& a, const ScoredChunk& b) {
  return a.score != b.score ? a.score > b.score : a.chunk < b.chunk;
}

}  // namespace

std::vector<std::string> query_words(std::string_view query) {
  std::vector<std::string> telling, all;
  std::unordered_set<std::string> seen;
  for (std::string& word : search::words_of(query.substr(0, kMaxQueryBytes))) {
    if (!seen.insert(word).second) continue;
    if (!search::is_stop_word(word) && telling.size() < kMaxQueryWords) telling.push_back(word);
    if (all.size() < kMaxQueryWords) all.push_back(std::move(word));
  }
  return telling.empty() ? all : telling;
}

void CorpusIndex::count_words() {
  words_ = 0;
  for (const IndexedChunk& chunk : chunks) words_ += chunk.words;
  const double mean = chunks.empty() ? 0 : static_cast<double>(words_) / static_cast<double>(chunks.size());
  norms_.clear();
  norms_.reserve(chunks.size());
  for (const IndexedChunk& chunk : chunks) norms_.push_back(static_cast<float>(search::length_norm(chunk.words, mean)));
}

std::vector<ScoredChunk> CorpusIndex::search(const std::vector<std::string>& words, std::size_t limit,
                                             const std::vector<std::string>& further) const {
  const ByteHash hash(seed);
  std::vector<double> scores(chunks.size());
  // What the word could add at most.
  const auto add = [&](const std::string& word, double part) {
    const std::string_view list = postings.find(hash(word));
    const double holding = list.empty() ? 0 : PostingReader(list).size();
    const double weight = part * search::word_weight(static_cast<double>(chunks.size()), holding);
    if (list.empty()) return weight * search::kHighestTerm;
    for (PostingReader reader(list); reader.next();)
      scores[reader.chunk()] += weight * search::term_score(reader.count(), static_cast<double>(norms_[reader.chunk()]));
    return weight * search::kHighestTerm;
  };
  double most = 0;
  for (const std::string& word : words) most += add(word, 1);
  for (const std::string& word : further) add(word, kFurtherWeight);

  std::vector<ScoredChunk> best;  // a heap; its front is the worst of them
  for (std::uint32_t chunk = 0; chunk < scores.size(); ++chunk) {
    if (scores[chunk] <= 0 || limit == 0) continue;
    const ScoredChunk scored{chunk, scores[chunk], scores[chunk] / most};
    if (best.size() == limit) {
      if (!better(scored, best.front())) continue;
      std::ranges::pop_heap(best, better);
      best.pop_back();
    }
    best.push_back(scored);
    std::ranges::push_heap(best, better);
  }
  std::ranges::sort(best, better);
  return best;
}

}  // namespace holdfast::research
