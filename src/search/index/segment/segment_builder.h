#pragma once

// A segment in the making: passages in, a file out. One thread.

#include "search/index/limits.h"
#include "search/index/passages.h"
#include "search/index/segment/block_filter.h"
#include "search/index/segment/segment_writer.h"
#include "search/index/segment/term_table.h"
#include "search/index/tokens.h"

#include <memory>

namespace holdfast::search {

// How attributes and roles stand in the lexicon of attributes: a letter in front, newlines written otherwise, cut.
std::string attribute_term(std::string_view attribute);
std::string attribute_of_term(std::string_view term);
std::string role_term(PassageRole role);
inline constexpr char kAttributeTerms = 'a', kRoleTerms = 'r';

class SegmentBuilder {
 public:
  explicit SegmentBuilder(ByteHash::Seed seed);

  // Passages of one source, in order; a block holds whole lines and ends at end_run() or when it has so much text.
  void begin_run(std::uint64_t source, std::size_t block_text = kBlockTextBytes);
  void add(const Passage& passage);
  void end_run();

  bool empty() const { return blocks_.empty(); }
  bool full() const { return memory() >= kBuilderBytes; }
  std::uint64_t text_bytes() const { return text_bytes_; }

  // Writes the segment and is empty again. Not between begin_run() and end_run().
  Result<WrittenSegment> write(const std::string& path);

 private:
  struct Block {
    BlockEntry entry;
    std::uint64_t source = 0;
  };
  // The terms of one kind: which, and block after block in which.
  struct Terms {
    TermTable table;
    std::vector<std::uint32_t> last_block;    // of each term: the last block that has it, plus one
    std::vector<std::uint32_t> numbers;       // of the terms of each block
    std::vector<std::uint32_t> block_begins;  // in numbers
    void add(std::string_view term, std::uint64_t hash, std::uint32_t block);
    void write(LexiconWriter& to) const;
    std::size_t memory() const;
    void clear();
  };
  // What scan_tokens() fills: inlined there.
  struct Collector;

  void begin_block(const Passage& passage);
  void end_block();
  std::size_t memory() const;

  const ByteHash::Seed seed_;
  const KeyHash hash_;
  const ByteHash attribute_hash_;
  FoldedText folded_;
  Terms words_, attributes_;
  BlockFilterWriter filter_;
  std::string filters_;
  std::vector<Block> blocks_;
  // Words seen in this block, by hash: most come again and need not be looked up in a table larger than the cache.
  struct Seen {
    std::uint64_t hash = 0;
    std::uint64_t block = 0;
  };
  std::vector<Seen> seen_ = std::vector<Seen>(2048);
  std::uint64_t source_ = 0, text_bytes_ = 0, block_text_ = 0, last_line_ = 0;
  std::size_t most_block_text_ = kBlockTextBytes;
  std::uint64_t block_number_ = 0;  // of all that were ever begun: seen_ survives write()
  bool open_ = false;
  BlockEntry current_;
};

}  // namespace holdfast::search
