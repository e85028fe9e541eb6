#pragma once

// The terms of a segment in order, and where each occurs.
//
// Three runs of bytes: the terms, each followed by a newline; a table entry per kTermsPerEntry terms with the offsets of its
// first term and of that one's postings; the postings, one after another. The terms stand as they are, so that a search inside of
// words is a search in one string.

#include "search/index/segment/postings.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::search {

inline constexpr std::size_t kTermsPerEntry = 16;
inline constexpr char kTermEnd = '\n';

struct LexiconEntry {
  std::uint32_t text = 0, postings = 0;
};

class LexiconWriter {
 public:
  explicit LexiconWriter(std::size_t block_count) : block_count_(block_count) {}
  // In rising order, without a newline.
  void add(std::string_view term, std::span<const std::uint32_t> blocks);

  const std::string& text() const { return text_; }
  const std::vector<LexiconEntry>& table() const { return table_; }
  const std::string& postings() const { return postings_; }

 private:
  std::size_t block_count_, terms_ = 0;
  std::string text_, postings_;
  std::vector<LexiconEntry> table_;
};

// A view; the bytes stay where they are. Every function that answers bool says false when the bytes are damaged: then nothing is
// known, and the caller takes every block for a candidate.
class Lexicon {
 public:
  Lexicon() = default;
  // nullopt: the table does not fit the rest.
  static std::optional<Lexicon> over(std::string_view text, std::string_view table, std::string_view postings,
                                     std::size_t block_count);

  bool find(std::string_view term, BlockSet& to) const;  // adds where it occurs
  // Adds where the terms that begin so occur; when they are more than `most`, sets `too_many` and adds nothing further.
  bool find_prefix(std::string_view prefix, std::size_t most, BlockSet& to, bool& too_many) const;
  // Adds where terms occur that hold the needle (with `at_end`: that end so). Gives up when that is more than half of the blocks
  // in `wanted`: sets `common`.
  bool find_inside(std::string_view needle, bool at_end, const BlockSet& wanted, BlockSet& to, bool& common) const;
  // Terms that begin so, in order, until `take` answers false.
  bool each_with_prefix(std::string_view prefix, const std::function<bool(std::string_view)>& take) const;

  std::string_view text() const { return text_; }
  std::string_view postings() const { return postings_; }
  std::size_t block_count() const { return block_count_; }

 private:
  LexiconEntry entry(std::size_t index) const;
  std::string_view first_term(std::size_t index) const;
  std::string_view term_at(std::size_t offset) const;
  std::size_t entry_before(std::string_view term) const;  // the last whose first term is not behind it; 0 when none

  std::string_view text_, table_, postings_;
  std::size_t block_count_ = 0, entries_ = 0;
};

// One term after another with its blocks, for merging.
class LexiconCursor {
 public:
  explicit LexiconCursor(const Lexicon& lexicon) : lexicon_(&lexicon) {}
  // False at the end, or when the bytes are damaged (then `damaged()`).
  bool next();
  bool damaged() const { return damaged_; }
  std::string_view term() const { return term_; }
  const std::vector<std::uint32_t>& blocks() const { return blocks_; }

 private:
  const Lexicon* lexicon_;
  std::size_t text_at_ = 0, postings_at_ = 0;
  std::string_view term_;
  std::vector<std::uint32_t> blocks_;
  bool damaged_ = false;
};

}  // namespace holdfast::search
