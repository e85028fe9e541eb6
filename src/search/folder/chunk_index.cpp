#include "search/folder/chunk_index.h"

#include "search/words/bm25.h"

#include <algorithm>

namespace holdfast::search {
namespace {

constexpr double kFurtherWeight = 0.4;  // of a word that was not asked for itself

bool better(const ScoredChunk& a, const ScoredChunk& b) {
  return a.score != b.score ? a.score > b.score : a.chunk < b.chunk;
}

}  // namespace

void ChunkIndex::count_words() {
  std::uint64_t words = 0;
  for (const IndexedChunk& chunk : chunks) words += chunk.words;
  const double mean = chunks.empty() ? 0 : static_cast<double>(words) / static_cast<double>(chunks.size());
  norms_.clear();
  norms_.reserve(chunks.size());
  for (const IndexedChunk& chunk : chunks) norms_.push_back(static_cast<float>(length_norm(chunk.words, mean)));
}

template <class Add>
std::pair<std::size_t, double> ChunkIndex::score_word(const std::string& word, const Add& add) const {
  const std::string_view list = postings.find(ByteHash(seed)(word));
  const std::size_t holding = list.empty() ? 0 : PostingReader(list).size();
  const double weight = word_weight(static_cast<double>(chunks.size()), static_cast<double>(holding));
  if (holding != 0)
    for (PostingReader reader(list); reader.next();)
      add(reader.chunk(), weight * term_score(reader.count(), static_cast<double>(norms_[reader.chunk()])));
  return {holding, weight * kHighestTerm};
}

std::vector<ScoredChunk> ChunkIndex::search_all(const std::vector<std::string>& words, std::vector<std::size_t>& holding) const {
  holding.clear();
  std::vector<ScoredChunk> all(chunks.size());
  std::vector<std::size_t> has(chunks.size());
  double most = 0;
  for (const std::string& word : words) {
    const auto [chunks_with, highest] = score_word(word, [&](std::uint32_t chunk, double score) {
      all[chunk].score += score;
      ++has[chunk];
    });
    holding.push_back(chunks_with);
    most += highest;
  }
  for (std::uint32_t chunk = 0; chunk < all.size(); ++chunk) all[chunk] = {chunk, all[chunk].score, all[chunk].score / most};
  std::erase_if(all, [&](const ScoredChunk& scored) { return has[scored.chunk] != words.size(); });
  std::ranges::sort(all, better);
  return all;
}

std::vector<ScoredChunk> ChunkIndex::search(const std::vector<std::string>& words, std::size_t limit,
                                            const std::vector<std::string>& further) const {
  std::vector<double> scores(chunks.size());
  double most = 0;
  for (const std::string& word : words)
    most += score_word(word, [&](std::uint32_t chunk, double score) { scores[chunk] += score; }).second;
  for (const std::string& word : further)
    score_word(word, [&](std::uint32_t chunk, double score) { scores[chunk] += kFurtherWeight * score; });

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

}  // namespace holdfast::search
