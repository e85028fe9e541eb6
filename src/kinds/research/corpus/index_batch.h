#pragma once

// Documents on their way into the index: cut, their words counted, their postings collected and, whenever there are enough of
// them, sorted and compressed. One thread; several batches make a large corpus on several cores.

#include "kinds/research/corpus/corpus_index.h"
#include "kinds/research/text/document_text.h"
#include "search/words/words.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace holdfast::research {

class IndexBatch final : private search::WordSink {
 public:
  explicit IndexBatch(ByteHash::Seed seed) : hash_(seed) {}

  // Chunks are numbered in the order in which they come. Returns how many the document has.
  std::uint32_t add(const DocumentText& document);

  // Of all documents; `file` is for the caller to set.
  std::vector<IndexedChunk> chunks;
  std::vector<Postings> finish();

 private:
  // Postings kept before they are compressed: 16 MB, and as much again while they are sorted.
  static constexpr std::size_t kRunLength = 1 << 20;
  static constexpr std::size_t kMostOfAChunk = kMaxLineBytes;  // words

  void word(std::string_view folded) override;
  void count_chunk(std::string_view text, IndexedChunk& chunk);
  void end_run();

  const ByteHash hash_;
  // The words of the chunk in hand: open addressing, a key of 0 is free. A chunk has fewer words than bytes.
  std::vector<std::uint64_t> keys_;
  std::vector<std::uint32_t> counts_;
  std::vector<std::uint32_t> used_;
  std::uint32_t length_ = 0;

  std::vector<Posting> run_, scratch_;
  std::vector<Postings> runs_;
};

}  // namespace holdfast::research
