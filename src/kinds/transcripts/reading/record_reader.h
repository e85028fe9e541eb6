#pragma once

// One line of a transcript, read and turned into what a person reads of it, whatever its length. Internal to reading.

#include "kinds/transcripts/lines/line_index.h"
#include "reading/reading.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::transcripts {

// One record of a transcript as what a person reads of it. Never fails: what is not understood is shown as it stands.
//
// Claude Code (on-disk §4) and Codex (transcript-archive §12) alike; pairing results with calls and gathering records into turns
// is transcript_reading.cpp's.

// A tool's answer, looking for its call.
struct LooseResult {
  std::string call_id;
  reading::ToolResult result;
  std::string agent_id;  // of the subagent that the call began; empty: none is named
};

struct RecordParts {
  reading::Turn turn;                // head, flags and parts; `id` is the uuid
  std::string message_id;            // records with the same one are one turn; empty: on its own
  std::vector<LooseResult> results;  // of a record of results `turn` has no parts of its own
  bool shown = true;                 // false: nothing to read (a title, a mode, a repetition)
};

// `line` is the number from 1. `left_out`: bytes of the record that were cut before it was parsed.
RecordParts claude_parts(const JsonObject& record, std::uint64_t line, std::uint64_t left_out, const reading::ReadLimits& limits);
// `with_messages`: the file has no events, so messages are shown from response items.
RecordParts codex_parts(const JsonObject& record, std::uint64_t line, std::uint64_t left_out, bool with_messages,
                        const reading::ReadLimits& limits);
// A line that is not a record.
RecordParts broken_line(std::string_view text, std::uint64_t whole_size, std::uint64_t line, const reading::ReadLimits& limits);

// The image a block describes ({type: image, source: {type: base64, media_type, data}}), with its reference; nullopt for others.
std::optional<reading::Image> image_of_block(const JsonObject& block, std::uint64_t line, std::size_t number,
                                             const reading::ReadLimits& limits);

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
