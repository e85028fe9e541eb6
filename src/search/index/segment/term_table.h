#pragma once

// The distinct terms of a segment in the making, numbered as they come.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::search {

class TermTable {
 public:
  // The number of the term, new or not. `hash` by the secret of the index.
  std::uint32_t number_of(std::string_view term, std::uint64_t hash);

  std::size_t size() const { return terms_.size(); }
  std::string_view text(std::uint32_t number) const {
    return std::string_view(arena_).substr(terms_[number].offset, terms_[number].size);
  }
  // Numbers in the order of their texts.
  std::vector<std::uint32_t> sorted() const;
  std::size_t memory() const;
  void clear();

 private:
  struct Term {
    std::uint32_t hash = 0;
    std::uint32_t offset = 0;
    std::uint32_t size = 0;
  };
  void grow();

  std::vector<Term> terms_;
  std::vector<std::uint32_t> slots_;  // number + 1; 0: free. A power of two, at most half full.
  std::string arena_;
};

}  // namespace holdfast::search
