#pragma once

// Writes a segment: under a temporary name, synced, and then under its own. A crash leaves a temporary file that the next writer
// removes. Filters go to the file as they come; word lists and postings wait in memory, a fraction of kSegmentTextBytes.

#include "base/files/fd.h"
#include "base/result.h"
#include "search/index/segment/lexicon.h"
#include "search/index/segment/segment_format.h"

#include <string>
#include <vector>

namespace holdfast::search {

struct WrittenSegment {
  std::uint64_t bytes = 0, text_bytes = 0, blocks = 0;
};

class SegmentWriter {
 public:
  static Result<SegmentWriter> create(std::string path, ByteHash::Seed seed, std::size_t block_count);

  // Blocks first, all of them; `source` is the manifest's number, the entry's own field is filled in here.
  Result<void> add_block(BlockEntry entry, std::uint64_t source, std::string_view filter);
  // Then terms in order.
  LexiconWriter& words() { return words_; }
  LexiconWriter& attributes() { return attributes_; }
  Result<WrittenSegment> finish();

  SegmentWriter(SegmentWriter&&) = default;
  ~SegmentWriter();  // removes what was not finished

 private:
  SegmentWriter(std::string path, Fd file, ByteHash::Seed seed, std::size_t block_count);
  std::string temporary() const { return path_ + ".new"; }
  Result<void> put(std::string_view bytes);
  Result<void> put_section(Section section, std::string_view bytes);

  std::string path_;
  Fd file_;
  SegmentHeader header_;
  std::vector<BlockEntry> blocks_;
  std::vector<std::uint64_t> sources_;
  LexiconWriter words_, attributes_;
  std::string buffer_;
  std::uint64_t written_ = 0;  // with what waits in buffer_
};

}  // namespace holdfast::search
