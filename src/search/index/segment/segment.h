#pragma once

// A segment as it is searched: mapped, checked when it is opened, and read with care, for the file may be damaged.
//
// Immutable, any thread. The file may be unlinked while it is in use.

#include "base/result.h"
#include "search/index/segment/lexicon.h"
#include "search/index/segment/segment_format.h"

#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace holdfast::search {

class Segment {
 public:
  // not_found, io; corrupt: it is no segment, or not of this index (another seed).
  static Result<std::shared_ptr<const Segment>> open(const std::string& path, ByteHash::Seed seed);
  // The same over bytes in memory that outlive it; aligned to eight bytes.
  static Result<std::shared_ptr<const Segment>> over(std::string_view bytes, ByteHash::Seed seed);

  std::size_t block_count() const { return blocks_.size(); }
  const BlockEntry& block(std::size_t index) const { return blocks_[index]; }
  std::uint64_t source_of(std::size_t block) const { return sources_[blocks_[block].source]; }  // the manifest's number
  std::string_view filter_of(std::size_t block) const {
    return filters_.substr(blocks_[block].filter, blocks_[block].filter_bytes);
  }
  std::span<const std::uint64_t> sources() const { return sources_; }
  // Blocks that follow each other and are of one source.
  struct Run {
    std::uint64_t source = 0;
    std::size_t begin = 0, end = 0;
    std::uint64_t to = 0;  // the highest that a block of it has
  };
  std::span<const Run> runs() const { return runs_; }
  // The blocks whose source the caller wants.
  template <class Wants>
  BlockSet blocks_of(const Wants& wants) const {
    BlockSet blocks(block_count());
    for (const Run& run : runs_)
      if (wants(run.source)) blocks.fill(run.begin, run.end);
    return blocks;
  }
  std::int64_t newest() const { return newest_; }
  std::int64_t oldest() const { return oldest_; }

  const Lexicon& words() const { return words_; }
  const Lexicon& attributes() const { return attributes_; }
  const BlockSet& long_words() const { return long_words_; }  // blocks with words that were cut
  std::uint64_t text_bytes() const { return text_bytes_; }
  std::uint64_t bytes() const { return size_; }

  Segment() = default;
  ~Segment();
  Segment(const Segment&) = delete;
  Segment& operator=(const Segment&) = delete;

 private:
  Result<void> attach(std::string_view bytes, ByteHash::Seed seed);

  void* mapped_ = nullptr;
  std::size_t size_ = 0;
  std::string_view filters_;
  std::span<const BlockEntry> blocks_;
  std::span<const std::uint64_t> sources_;
  std::vector<Run> runs_;
  Lexicon words_, attributes_;
  BlockSet long_words_;
  std::uint64_t text_bytes_ = 0;
  std::int64_t newest_ = 0, oldest_ = 0;
};

}  // namespace holdfast::search
