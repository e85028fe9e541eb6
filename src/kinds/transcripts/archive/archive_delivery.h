#pragma once

// Files out of an archive to a Receiver: put together again, counted, and compared with what the extension block says of them.
// Internal to the archive reader.

#include "jsonl/scan.h"
#include "kinds/transcripts/archive/archive_block.h"
#include "kinds/transcripts/lines/hash_beside.h"
#include "kinds/transcripts/lines/line_cutter.h"
#include "kinds/transcripts/lines/pieces.h"

namespace holdfast::transcripts {

class Delivery {
 public:
  // `block` may be null: a foreign archive, in which any path is new once.
  Delivery(Receiver& receiver, const SessionPlace& place, const ArchiveBlock* block, const ArchiveLimits& limits);

  enum class Way { field, block };  // a typed field; `raw` or extra_files
  // False: the block has given the file already, what stands in the field is an approximation to be dropped. Errors: corrupt
  // (twice, not in the block), too_large (entries), those of the receiver.
  Result<bool> begin(const std::string& path, Way way);
  Result<void> record(std::string_view text);  // in files of records, from their field
  Result<void> bytes(std::string_view bytes);  // in all others, and of all files from the block
  Result<void> end();                          // corrupt: not the bytes the block promises

  // At the end of the archive: gives the empty files that have no place of their own. Corrupt when one with content is missing.
  Result<void> finish();
  ArchiveCounts take_counts() { return std::move(counts_); }

 private:
  Result<void> give_line(std::string_view text, std::string_view ending, bool overlong);
  Result<void> give(const Receiver::Piece& piece);
  Result<void> irregular_lines();  // those that stand at the current line number
  Result<void> end_of_records();

  Receiver& receiver_;
  const SessionPlace& place_;
  const ArchiveBlock* block_;
  std::uint64_t max_entries_;
  ArchiveCounts counts_;
  std::map<std::string, Way, std::less<>> given_;

  // Of the file being given.
  Artifact artifact_;
  const ArchiveBlock::File* expected_ = nullptr;
  bool by_records_ = false;
  std::string_view ending_;
  const std::vector<IrregularLine>* irregular_ = nullptr;
  std::size_t next_irregular_ = 0;
  std::uint64_t line_ = 1;
  HashBeside hash_;
  std::uint64_t bytes_ = 0, records_ = 0;
  LineCutter cutter_;
  jsonl::Scanner scanner_;
};

}  // namespace holdfast::transcripts
