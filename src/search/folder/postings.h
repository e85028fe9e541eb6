#pragma once

// Which chunks hold a word, and how often: lists of numbers, compressed, ordered by word.
//
// Words are their 64-bit hashes (words.h); the text of a word is not kept. A list is a row of variable-length integers: the
// number of chunks, then for each chunk the distance to the one before, times two, plus one when the word occurs there once; else
// the number of occurrences follows. Immutable once made, so it may be read from any thread.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::search {

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

}  // namespace holdfast::search
