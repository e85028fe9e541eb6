#pragma once

// Which neighbours and edges of words a block may have: a Bloom filter per block, so that merging segments copies it.
//
// Words alone would let every block through that has the words of a phrase anywhere, and a piece of code is symbols and ends of
// words. A filter never denies what is there.

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::store::index {

// Of the keys of one block, gathered and then written; used again for the next block.
class BlockFilterWriter {
 public:
  void add(std::uint64_t key) {
    key |= 1;  // no key is zero, which stands for none below
    // Most repeat soon; those that slip through cost a few bits each.
    std::uint64_t& seen = seen_[key % seen_.size()];
    if (seen == key) return;
    seen = key;
    keys_.push_back(key);
  }
  void finish(std::string& to);  // appends the filter of the keys since the last finish()

 private:
  std::vector<std::uint64_t> keys_;
  std::vector<std::uint64_t> seen_ = std::vector<std::uint64_t>(16384);
};

bool filter_may_hold(std::string_view filter, std::uint64_t key);

// Of many filters, whether each may hold all keys. Filters lie all over a large file: the memory of several is asked for at a
// time, which is some times as fast as one after another.
class FilterProbe {
 public:
  explicit FilterProbe(std::span<const std::uint64_t> keys) : keys_(keys) {}
  // Calls answer(number) for each filter that may hold all, of those given until flush(); in order.
  template <class Answer>
  void ask(std::string_view filter, std::size_t number, const Answer& answer) {
    add(filter, number);
    if (waiting_ == kAtOnce) flush(answer);
  }
  template <class Answer>
  void flush(const Answer& answer) {
    look_ahead();
    for (std::size_t i = 0; i < waiting_; ++i)
      if (holds_all(i)) answer(numbers_[i]);
    waiting_ = 0;
  }

 private:
  static constexpr std::size_t kAtOnce = 16;
  void add(std::string_view filter, std::size_t number);
  void look_ahead() const;
  bool holds_all(std::size_t index) const;

  std::span<const std::uint64_t> keys_;
  std::array<std::string_view, kAtOnce> filters_;
  std::array<std::size_t, kAtOnce> numbers_{};
  std::size_t waiting_ = 0;
};

}  // namespace holdfast::store::index
