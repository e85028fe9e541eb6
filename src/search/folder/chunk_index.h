#pragma once

// What is known of the texts below some folders: files, the chunks they are cut into, and the words of the chunks. Values; a
// finished index is not changed any more and may be read from any thread. Texts are not kept: they are read again from the file
// when a chunk was found, and its hash tells whether it still is what was indexed.

#include "base/crypto/byte_hash.h"
#include "base/crypto/hash.h"
#include "search/folder/postings.h"

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace holdfast::search {

// Cuts a text into chunks of whole lines: what a search finds and a report quotes.
//
// A chunk ends at the first empty line after kChunkBytes, so that paragraphs stay whole, and at the latest before the line that
// would make it longer than kMaxChunkBytes. A longer line is a chunk of its own; beyond kMaxLineBytes it is cut, at a character.
inline constexpr std::size_t kChunkBytes = 1536;         // a few paragraphs: about one thought
inline constexpr std::size_t kMaxChunkBytes = 3072;      // a page of source code
inline constexpr std::size_t kMaxLineBytes = 16 * 1024;  // a record of a log; what is longer nobody reads as one line

struct ChunkPlace {
  std::uint32_t offset = 0, length = 0;
  std::uint32_t first_line = 0, last_line = 0;  // from 1
};

// Together the chunks are the text, but for chunks of nothing but white space. At most 4 GiB of text.
std::vector<ChunkPlace> cut_chunks(std::string_view text);

struct IndexedFile {
  std::uint32_t root = 0;  // which of the folders
  std::uint32_t chunk_count = 0, first_chunk = 0;
  std::string path;  // relative to the root
  std::uint64_t size = 0;
  std::int64_t modified_ns = 0;  // kUnsure: look at the bytes again next time
  Digest digest{};
  std::string title;  // of one without chunks: why it has none; may be empty
};
inline constexpr std::int64_t kUnsure = std::numeric_limits<std::int64_t>::min();

struct IndexedChunk {
  ChunkPlace place;  // in the text of the file; lines are those of the file
  std::uint32_t file = 0;
  std::uint32_t words = 0;
  std::uint64_t check = 0;  // ByteHash of its text
};

struct ScoredChunk {
  std::uint32_t chunk = 0;
  double score = 0;
  double share = 0;  // of the most that any text could reach: 0..1
};

struct ChunkIndex {
  ByteHash::Seed seed = ByteHash::random_seed();
  std::vector<IndexedFile> files;    // by root, then by the bytes of the path
  std::vector<IndexedChunk> chunks;  // by file, then by place
  Postings postings;

  // Best first; of equal scores, the earlier chunk. Words count once. Exact: every list of every word is read, which takes some
  // nanoseconds an entry, and the lists of a question's words are few.
  // further: words worth less, because they only stand for those that were asked for; the share is of those alone.
  std::vector<ScoredChunk> search(const std::vector<std::string>& words, std::size_t limit,
                                  const std::vector<std::string>& further = {}) const;

  // Chunks that have every one of the words, best first; of equal ones, the earlier. holding: how many chunks have each word.
  std::vector<ScoredChunk> search_all(const std::vector<std::string>& words, std::vector<std::size_t>& holding) const;

  // Lengths of all chunks together; set it after chunks changed.
  void count_words();

 private:
  // Gives what each chunk that has the word adds to the score for it. Returns how many there are, and the most it could be.
  template <class Add>
  std::pair<std::size_t, double> score_word(const std::string& word, const Add& add) const;

  std::vector<float> norms_;  // length_norm of each chunk
};

}  // namespace holdfast::search
