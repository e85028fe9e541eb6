#pragma once

// One line of a transcript, read and turned into what a person reads of it, whatever its length. Internal to reading.

#include "kinds/transcripts/lines/line_index.h"
#include "kinds/transcripts/reading/record_parts.h"

namespace holdfast::transcripts {

// Shorter lines are parsed whole; of longer ones only what is shown is kept (jsonl/cut_json.h).
inline constexpr std::size_t kWholeLineBytes = 1024 * 1024;

class IndexedRecordReader {
 public:
  IndexedRecordReader(const reading::ByteSource& source, LineIndex::Product product, bool with_messages)
      : source_(source), product_(product), with_messages_(with_messages) {}

  // Usually one; a line that lost its newline may hold several. `number` is from 1. Errors: those of the source.
  Result<std::vector<RecordParts>> read(const IndexedLine& line, std::uint64_t number, const reading::ReadLimits& limits);

 private:
  Result<std::string_view> bytes(std::uint64_t offset, std::size_t size);
  Result<std::vector<RecordParts>> read_long(const IndexedLine& line, std::uint64_t number, const reading::ReadLimits& limits);
  RecordParts parts_of(const JsonObject& record, std::uint64_t number, std::uint64_t left_out, const reading::ReadLimits& limits);

  const reading::ByteSource& source_;
  const LineIndex::Product product_;
  const bool with_messages_;
  jsonl::Scanner scanner_;
  std::string block_;  // lines follow each other: one read serves many
  std::uint64_t block_at_ = 0;
};

}  // namespace holdfast::transcripts
