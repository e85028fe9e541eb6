#include "kinds/transcripts/reading/record_reader.h"

#include "base/text/text.h"
#include "jsonl/cut_json.h"
#include "jsonl/limits.h"

#include <algorithm>

namespace holdfast::transcripts {

Result<std::string_view> IndexedRecordReader::bytes(std::uint64_t offset, std::size_t size) {
  const bool held = offset >= block_at_ && offset + size <= block_at_ + block_.size();
  if (!held) {
    const std::uint64_t rest = source_.size > offset ? source_.size - offset : 0;
    block_.resize(static_cast<std::size_t>(std::min<std::uint64_t>(std::max(size, jsonl::kReadBytes), rest)));
    block_at_ = offset;
    HF_TRY(const std::size_t got, source_.read(offset, block_));
    block_.resize(got);
  }
  return std::string_view(block_).substr(static_cast<std::size_t>(offset - block_at_), size);
}

RecordParts IndexedRecordReader::parts_of(const JsonObject& record, std::uint64_t number, std::uint64_t left_out,
                                          const reading::ReadLimits& limits) {
  return product_ == LineIndex::Product::codex ? codex_parts(record, number, left_out, with_messages_, limits)
                                               : claude_parts(record, number, left_out, limits);
}

Result<std::vector<RecordParts>> IndexedRecordReader::read(const IndexedLine& line, std::uint64_t number,
                                                           const reading::ReadLimits& limits) {
  const std::uint64_t size = line.end - line.offset;
  if (size > kWholeLineBytes) return read_long(line, number, limits);
  HF_TRY(const std::string_view text, bytes(line.offset, static_cast<std::size_t>(size)));
  std::vector<RecordParts> found;
  // Fused records are several values, and bytes that are not UTF-8 are replaced before the parser, which would refuse them.
  std::vector<std::string_view> values;
  if (scanner_.values(text, values).parsed())
    for (const std::string_view value : values) {
      auto parsed = is_valid_utf8(value) ? parse_json(value) : parse_json(to_valid_utf8(value));
      if (!parsed) parsed = parse_json(without_lone_surrogates(to_valid_utf8(value)));
      if (parsed && parsed->is_object()) found.push_back(parts_of(parsed->get_object(), number, 0, limits));
    }
  if (found.empty()) found.push_back(broken_line(text, text.size(), number, limits));
  return found;
}

Result<std::vector<RecordParts>> IndexedRecordReader::read_long(const IndexedLine& line, std::uint64_t number,
                                                                const reading::ReadLimits& limits) {
  std::uint64_t at = line.offset;
  jsonl::PullParser in([&](char* to, std::size_t room) -> Result<std::size_t> {
    const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(room, line.end - at));
    if (wanted == 0) return std::size_t{0};
    HF_TRY(const std::size_t got, source_.read(at, {to, wanted}));
    at += got;
    return got;
  });
  jsonl::CutLimits cut;
  cut.string_bytes = limits.text_bytes;
  cut.wide_name = "data";  // of an image
  cut.wide_bytes = limits.image_bytes;
  auto record = jsonl::read_cut_json(in, cut);
  if (record && record->value.is_object()) {
    std::vector<RecordParts> found;
    found.push_back(parts_of(record->value.get_object(), number, record->left_out, limits));
    return found;
  }
  const std::uint64_t size = line.end - line.offset;
  HF_TRY(const std::string_view head,
         bytes(line.offset, std::min<std::size_t>(limits.text_bytes, static_cast<std::size_t>(size))));
  std::vector<RecordParts> found;
  found.push_back(broken_line(head, size, number, limits));
  return found;
}

}  // namespace holdfast::transcripts
