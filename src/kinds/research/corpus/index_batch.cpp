#include "kinds/research/corpus/index_batch.h"

#include <bit>

namespace holdfast::research {

std::uint32_t IndexBatch::add(const DocumentText& document) {
  std::uint32_t count = 0;
  for (const ChunkPlace& place : cut_chunks(document.text)) {
    const std::string_view text = std::string_view(document.text).substr(place.offset, place.length);
    IndexedChunk chunk;
    chunk.place = place;
    chunk.place.first_line = document.source_line(place.first_line);
    chunk.place.last_line = document.source_line(place.last_line);
    chunk.check = hash_(text);
    count_chunk(text, chunk);
    chunks.push_back(chunk);
    ++count;
  }
  return count;
}

void IndexBatch::count_chunk(std::string_view text, IndexedChunk& chunk) {
  const std::size_t room = std::bit_ceil(text.size() + 64);
  if (keys_.size() != room) {
    keys_.assign(room, 0);
    counts_.assign(room, 0);
  }
  used_.clear();
  length_ = 0;
  scan_words(text, *this);
  chunk.words = length_;
  const auto number = static_cast<std::uint32_t>(chunks.size());
  run_.reserve(kRunLength + kMostOfAChunk);  // at once: growing would hold it twice
  for (const std::uint32_t slot : used_) {
    run_.push_back({keys_[slot], number, counts_[slot]});
    keys_[slot] = 0;
  }
  if (run_.size() >= kRunLength) end_run();
}

void IndexBatch::word(std::string_view folded) {
  ++length_;
  const std::uint64_t key = hash_(folded);
  const std::size_t mask = keys_.size() - 1;
  for (std::size_t slot = key & mask;; slot = (slot + 1) & mask) {
    if (keys_[slot] == key) {
      ++counts_[slot];
      return;
    }
    if (keys_[slot] != 0) continue;
    if (used_.size() + 1 >= keys_.size()) return;  // one stays free, or this would never end
    keys_[slot] = key;
    counts_[slot] = 1;
    used_.push_back(static_cast<std::uint32_t>(slot));
    return;
  }
}

void IndexBatch::end_run() {
  if (run_.empty()) return;
  runs_.push_back(Postings::of(run_, scratch_));
  run_.clear();
}

std::vector<Postings> IndexBatch::finish() {
  end_run();
  std::vector<Posting>().swap(run_);  // the merge wants their memory
  std::vector<Posting>().swap(scratch_);
  return std::move(runs_);
}

}  // namespace holdfast::research
