#pragma once

// What is known of the texts below some folders: files, the chunks they are cut into, and the words of the chunks. Values; a
// finished index is not changed any more and may be read from any thread. Texts are not kept: they are read again from the file
// when a chunk was found, and its hash tells whether it still is what was indexed.

#include "base/crypto/byte_hash.h"
#include "base/crypto/hash.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
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

// Which chunks hold a word, and how often: lists of numbers, compressed, ordered by word.
//
// Words are their 64-bit hashes (words.h); the text of a word is not kept. A list is a row of variable-length integers: the
// number of chunks, then for each chunk the distance to the one before, times two, plus one when the word occurs there once; else
// the number of occurrences follows. Immutable once made, so it may be read from any thread.
struct Posting {
  std::uint64_t word = 0;
  std::uint32_t chunk = 0;
  std::uint32_t count = 0;
};

inline constexpr std::uint32_t kGone = std::numeric_limits<std::uint32_t>::max();

// Reads one list. Only for lists that are known to be whole: Postings::check looked at them, or this program made them.
class PostingReader {
 public:
  explicit PostingReader(std::string_view list) : at_(list.data()) { left_ = next_number(); }
  std::uint32_t size() const { return left_; }  // chunks not yet read

  bool next() {
    if (left_ == 0) return false;
    --left_;
    const std::uint32_t step = next_number();
    chunk_ += step >> 1;
    count_ = (step & 1) != 0 ? 1 : next_number();
    return true;
  }
  std::uint32_t chunk() const { return chunk_; }
  std::uint32_t count() const { return count_; }

 private:
  std::uint32_t next_number() {
    std::uint32_t number = 0;
    for (int shift = 0;; shift += 7) {
      const auto byte = static_cast<unsigned char>(*at_++);
      number |= static_cast<std::uint32_t>(byte & 0x7F) << shift;
      if (byte < 0x80) return number;
    }
  }

  const char* at_;
  std::uint32_t left_ = 0, chunk_ = 0, count_ = 0;
};

class Postings {
 public:
  struct Source {
    const Postings* postings = nullptr;
    std::span<const std::uint32_t> chunk_of;  // its chunk -> the new number, or kGone; ascending
  };

  Postings() = default;
  // For the cache: what words(), ends() and bytes() gave. Use nothing of it before check() said yes.
  Postings(std::vector<std::uint64_t> words, std::vector<std::uint64_t> ends, std::string bytes)
      : words_(std::move(words)), ends_(std::move(ends)), bytes_(std::move(bytes)) {}

  // Of any order; for one word the chunks must ascend. Sorts in place, with as much memory again.
  static Postings of(std::vector<Posting>& postings, std::vector<Posting>& scratch);
  static Postings merge(std::span<const Source> sources);

  // Whether all of it can be read without leaving the memory, and names chunks below `chunks` alone.
  bool check(std::uint32_t chunks) const;

  std::string_view find(std::uint64_t word) const;  // its list; empty when there is none
  std::size_t size() const { return words_.size(); }
  std::uint64_t word(std::size_t index) const { return words_[index]; }
  std::string_view list(std::size_t index) const {
    const std::uint64_t begin = index == 0 ? 0 : ends_[index - 1];
    return std::string_view(bytes_).substr(begin, ends_[index] - begin);
  }

  const std::vector<std::uint64_t>& words() const { return words_; }
  const std::vector<std::uint64_t>& ends() const { return ends_; }
  const std::string& bytes() const { return bytes_; }

 private:
  template <class Entries>
  void add(std::uint64_t word, const Entries& entries);

  std::vector<std::uint64_t> words_;  // ascending
  std::vector<std::uint64_t> ends_;   // where the list of each ends in bytes_
  std::string bytes_;
};

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
