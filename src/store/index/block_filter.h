#pragma once

// Which neighbours and edges of words a block may have: a Bloom filter per block, so that merging segments copies it.
//
// Words alone would let every block through that has the words of a phrase anywhere, and a piece of code is signs and ends of
// words. A filter never denies what is there.

#include <cstdint>
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

}  // namespace holdfast::store::index
