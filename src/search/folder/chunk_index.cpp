#include "search/folder/chunk_index.h"

#include "base/text/text.h"
#include "search/words/bm25.h"

#include <algorithm>

namespace holdfast::search {

namespace {

class Cutter {
 public:
  explicit Cutter(std::string_view text) : text_(text) {}

  std::vector<ChunkPlace> cut() {
    for (std::size_t at = 0; at < text_.size(); ++line_) {
      const std::size_t newline = text_.find('\n', at);
      const std::size_t end = newline == text_.npos ? text_.size() : newline + 1;
      take_line(at, end);
      at = end;
    }
    finish(text_.size(), line_ - 1);
    return std::move(chunks_);
  }

 private:
  void take_line(std::size_t at, std::size_t end) {
    if (end - begin_ > kMaxChunkBytes) finish(at, line_ - 1);
    while (end - begin_ > kMaxLineBytes) {
      const std::size_t piece = utf8_prefix(text_.substr(begin_), kMaxLineBytes).size();
      finish(begin_ + (piece == 0 ? kMaxLineBytes : piece), line_);
      first_line_ = line_;
    }
    const bool empty = trim(text_.substr(at, end - at)).empty();
    if (end - begin_ > kMaxChunkBytes || (empty && end - begin_ >= kChunkBytes)) finish(end, line_);
  }

  void finish(std::size_t end, std::uint32_t last_line) {
    if (end > begin_ && !trim(text_.substr(begin_, end - begin_)).empty())
      chunks_.push_back({static_cast<std::uint32_t>(begin_), static_cast<std::uint32_t>(end - begin_), first_line_, last_line});
    begin_ = end;
    first_line_ = last_line + 1;
  }

  std::string_view text_;
  std::vector<ChunkPlace> chunks_;
  std::size_t begin_ = 0;
  std::uint32_t first_line_ = 1, line_ = 1;
};

}  // namespace

std::vector<ChunkPlace> cut_chunks(std::string_view text) {
  return Cutter(text).cut();
}

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
