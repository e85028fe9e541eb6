#include "search/folder/chunk_index.h"

#include "base/text/text.h"
#include "search/words/bm25.h"

#include <algorithm>
#include <array>
#include <utility>

namespace holdfast::search {

namespace {

constexpr std::size_t kMaxNumberBytes = 5;
// A list is written where it would fit if all its numbers were long. Memory that is not written to costs nothing.
constexpr std::size_t kRoomForAList = 16 << 20;

char* put_number(char* out, std::uint32_t number) {
  for (; number >= 0x80; number >>= 7) *out++ = static_cast<char>(number | 0x80);
  *out++ = static_cast<char>(number);
  return out;
}

// By the upper 32 bits of the word, keeping the order of equals: four passes over the memory where a comparing sort takes twenty.
// 256 places at a time, because that many lines of the cache can be written to at once.
void sort_by_upper_bits(std::vector<Posting>& postings, std::vector<Posting>& scratch) {
  constexpr int kBits = 8, kPasses = 4;
  constexpr auto digit = [](const Posting& posting, int pass) {
    return (posting.word >> (64 - (kPasses - pass) * kBits)) & ((1 << kBits) - 1);
  };
  std::array<std::array<std::size_t, 1 << kBits>, kPasses> places{};
  for (const Posting& posting : postings)
    for (int pass = 0; pass < kPasses; ++pass) ++places[static_cast<std::size_t>(pass)][digit(posting, pass)];
  scratch.resize(postings.size());
  for (int pass = 0; pass < kPasses; ++pass) {
    auto& place_of = places[static_cast<std::size_t>(pass)];
    std::size_t place = 0;
    for (std::size_t& count : place_of) place += std::exchange(count, place);
    for (const Posting& posting : postings) scratch[place_of[digit(posting, pass)]++] = posting;
    postings.swap(scratch);
  }
}

// Words that differ in the lower bits alone are as rare as accidents, so this moves next to nothing.
void finish_sorting(std::vector<Posting>& postings) {
  for (std::size_t i = 1; i < postings.size(); ++i)
    for (std::size_t j = i; j > 0 && postings[j].word < postings[j - 1].word; --j) std::swap(postings[j], postings[j - 1]);
}

struct Cursor {
  std::uint64_t word = 0;
  std::uint32_t source = 0;
  std::size_t index = 0;
};

// The front of the standard library's heaps is the greatest; ours is the next word.
bool comes_later(const Cursor& a, const Cursor& b) {
  return a.word != b.word ? a.word > b.word : a.source > b.source;
}

// Bounds are looked at, unlike in PostingReader. False when the bytes end or the number has more than 32 bits.
bool read_number(std::string_view& bytes, std::uint32_t& number) {
  std::uint64_t value = 0;
  for (int shift = 0; shift < 35 && !bytes.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    value |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
    if (byte < 0x80) {
      number = static_cast<std::uint32_t>(value);
      return value <= std::numeric_limits<std::uint32_t>::max();
    }
  }
  return false;
}

bool check_list(std::string_view list, std::uint32_t chunks) {
  std::uint32_t size = 0;
  if (!read_number(list, size) || size == 0) return false;
  std::uint64_t chunk = 0;
  for (std::uint32_t i = 0; i < size; ++i) {
    std::uint32_t step = 0, count = 1;
    if (!read_number(list, step)) return false;
    if ((step & 1) == 0 && (!read_number(list, count) || count == 0)) return false;
    if (i != 0 && step >> 1 == 0) return false;  // a chunk twice
    chunk += step >> 1;
    if (chunk >= chunks) return false;
  }
  return list.empty();
}

}  // namespace

template <class Entries>
void Postings::add(std::uint64_t word, const Entries& entries) {
  const std::size_t size = bytes_.size();
  bytes_.resize_and_overwrite(size + (1 + 2 * entries.size()) * kMaxNumberBytes, [&](char* bytes, std::size_t) {
    char* out = put_number(bytes + size, static_cast<std::uint32_t>(entries.size()));
    std::uint32_t before = 0;
    for (const Posting& entry : entries) {
      const std::uint32_t step = (entry.chunk - std::exchange(before, entry.chunk)) << 1;
      out = put_number(out, entry.count == 1 ? step | 1 : step);
      if (entry.count != 1) out = put_number(out, entry.count);
    }
    return static_cast<std::size_t>(out - bytes);
  });
  words_.push_back(word);
  ends_.push_back(bytes_.size());
}

Postings Postings::of(std::vector<Posting>& postings, std::vector<Posting>& scratch) {
  sort_by_upper_bits(postings, scratch);
  finish_sorting(postings);
  Postings made;
  made.bytes_.reserve(postings.size() * 3);
  for (std::size_t begin = 0, end = 0; begin < postings.size(); begin = end) {
    while (end < postings.size() && postings[end].word == postings[begin].word) ++end;
    made.add(postings[begin].word, std::span<const Posting>(postings).subspan(begin, end - begin));
  }
  made.bytes_.shrink_to_fit();  // there will be many of these at once
  made.words_.shrink_to_fit();
  made.ends_.shrink_to_fit();
  return made;
}

Postings Postings::merge(std::span<const Source> sources) {
  Postings merged;
  std::vector<Cursor> heap;
  std::size_t bytes = kRoomForAList;
  for (std::uint32_t source = 0; source < sources.size(); ++source) {
    const Postings& postings = *sources[source].postings;
    bytes += postings.bytes_.size();
    if (postings.size() != 0) heap.push_back({postings.word(0), source, 0});
  }
  merged.bytes_.reserve(bytes);
  std::ranges::make_heap(heap, comes_later);

  std::vector<Posting> entries;
  const auto before = [](const Posting& a, const Posting& b) { return a.chunk < b.chunk; };
  while (!heap.empty()) {
    const std::uint64_t word = heap.front().word;
    entries.clear();
    while (!heap.empty() && heap.front().word == word) {
      std::ranges::pop_heap(heap, comes_later);
      Cursor& cursor = heap.back();
      const Source& source = sources[cursor.source];
      const auto middle = static_cast<std::ptrdiff_t>(entries.size());
      for (PostingReader reader(source.postings->list(cursor.index)); reader.next();)
        if (const std::uint32_t chunk = source.chunk_of[reader.chunk()]; chunk != kGone)
          entries.push_back({word, chunk, reader.count()});
      if (middle != 0 && middle != std::ssize(entries) &&
          before(entries[static_cast<std::size_t>(middle)], *(entries.begin() + middle - 1)))
        std::inplace_merge(entries.begin(), entries.begin() + middle, entries.end(), before);
      if (++cursor.index < source.postings->size()) {
        cursor.word = source.postings->word(cursor.index);
        std::ranges::push_heap(heap, comes_later);
      } else {
        heap.pop_back();
      }
    }
    if (!entries.empty()) merged.add(word, entries);
  }
  return merged;
}

bool Postings::check(std::uint32_t chunks) const {
  if (words_.size() != ends_.size()) return false;
  std::uint64_t begin = 0;
  for (std::size_t i = 0; i < words_.size(); ++i) {
    if (i != 0 && words_[i] <= words_[i - 1]) return false;
    if (ends_[i] <= begin || ends_[i] > bytes_.size()) return false;
    if (!check_list(list(i), chunks)) return false;
    begin = ends_[i];
  }
  return begin == bytes_.size();
}

std::string_view Postings::find(std::uint64_t word) const {
  const auto found = std::ranges::lower_bound(words_, word);
  if (found == words_.end() || *found != word) return {};
  return list(static_cast<std::size_t>(found - words_.begin()));
}

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
