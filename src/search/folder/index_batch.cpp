#include "search/folder/index_batch.h"

#include <utility>

namespace holdfast::search {

void IndexBatch::add(const FolderText& text) {
  for (const ChunkPlace& place : text.chunks) {
    const std::string_view piece = std::string_view(text.text).substr(place.offset, place.length);
    used_.clear();
    length_ = 0;
    scan_words(piece, *this);
    IndexedChunk chunk;
    chunk.place = place;
    chunk.check = hash_(piece);
    chunk.words = length_;
    if (&place == &text.chunks.front()) scan_words(text.also, *this);
    const auto number = static_cast<std::uint32_t>(chunks.size());
    run_.reserve(kRunLength + kFewWords);  // at once: growing would hold it twice
    for (const std::uint32_t slot : used_) run_.push_back({std::exchange(keys_[slot], 0), number, counts_[slot]});
    chunks.push_back(chunk);
    if (run_.size() >= kRunLength) end_run();
  }
}

void IndexBatch::word(std::string_view folded) {
  ++length_;
  count_word(hash_(folded), 1);
}

void IndexBatch::count_word(std::uint64_t key, std::uint32_t count) {
  const std::size_t mask = keys_.size() - 1;
  std::size_t slot = key & mask;
  while (keys_[slot] != key && keys_[slot] != 0) slot = (slot + 1) & mask;
  if (keys_[slot] == key) {
    counts_[slot] += count;
    return;
  }
  keys_[slot] = key;
  counts_[slot] = count;
  used_.push_back(static_cast<std::uint32_t>(slot));
  if (2 * used_.size() > keys_.size()) grow();
}

void IndexBatch::grow() {
  const std::vector<std::uint64_t> keys = std::exchange(keys_, std::vector<std::uint64_t>(2 * keys_.size()));
  const std::vector<std::uint32_t> counts = std::exchange(counts_, std::vector<std::uint32_t>(2 * keys.size()));
  for (const std::uint32_t slot : std::exchange(used_, {})) count_word(keys[slot], counts[slot]);
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

}  // namespace holdfast::search
