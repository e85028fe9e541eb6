#pragma once

// A set of blocks of one segment, one bit each.

#include <bit>
#include <cstdint>
#include <vector>

namespace holdfast::search {

class BlockSet {
 public:
  explicit BlockSet(std::size_t blocks = 0, bool all = false) : size_(blocks), words_((blocks + 63) / 64, 0) {
    if (all) fill(0, blocks);
  }

  std::size_t size() const { return size_; }
  bool has(std::size_t block) const { return (words_[block / 64] >> (block % 64) & 1) != 0; }
  void add(std::size_t block) { words_[block / 64] |= std::uint64_t{1} << (block % 64); }
  void drop(std::size_t block) { words_[block / 64] &= ~(std::uint64_t{1} << (block % 64)); }
  void fill(std::size_t begin, std::size_t end) {
    for (; begin < end && begin % 64 != 0; ++begin) add(begin);
    for (; begin + 64 <= end; begin += 64) words_[begin / 64] = ~std::uint64_t{0};
    for (; begin < end; ++begin) add(begin);
  }
  void add_word(std::size_t word, std::uint64_t bits) { words_[word] |= bits; }
  void keep(const BlockSet& other) {
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] &= other.words_[i];
  }
  void add(const BlockSet& other) {
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] |= other.words_[i];
  }
  std::size_t count() const {
    std::size_t count = 0;
    for (const std::uint64_t word : words_) count += static_cast<std::size_t>(std::popcount(word));
    return count;
  }
  bool empty() const {
    for (const std::uint64_t word : words_)
      if (word != 0) return false;
    return true;
  }
  template <class Visit>
  void each(const Visit& visit) const {
    for (std::size_t i = 0; i < words_.size(); ++i)
      for (std::uint64_t word = words_[i]; word != 0; word &= word - 1)
        visit(i * 64 + static_cast<std::size_t>(std::countr_zero(word)));
  }

 private:
  std::size_t size_;
  std::vector<std::uint64_t> words_;
};

}  // namespace holdfast::search
