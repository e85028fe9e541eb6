#include "kinds/transcripts/archive/archive_records.h"

#include <fmt/format.h>

namespace holdfast::transcripts {
namespace {

// JSON that is known to be valid, without the blanks between its tokens.
void append_compact(std::string& out, std::string_view json) {
  bool in_string = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (in_string && c == '\\') {
      out += c;
      out += json[++i];
      continue;
    }
    if (c == '"') in_string = !in_string;
    if (in_string || (c != ' ' && c != '\n' && c != '\r' && c != '\t')) out += c;
  }
}

}  // namespace

Result<std::uint64_t> RecordReader::read(jsonl::PullParser& in, const std::function<Result<void>(std::string_view)>& take) {
  HF_CHECK(in.enter_array());
  for (std::uint64_t count = 0;; ++count) {
    HF_TRY(const bool another, in.next_element());
    if (!another) return count;
    HF_TRY(const std::string_view record, next(in));
    HF_CHECK(take(record));
  }
}

Result<std::string_view> RecordReader::next(jsonl::PullParser& in) {
  HF_TRY(const jsonl::ValueKind kind, in.kind());
  const auto no_record = [&] { return fail(ErrorKind::corrupt, fmt::format("not a record before byte {}", in.offset())); };
  if (kind != jsonl::ValueKind::object) return no_record();
  if (by_line_) {
    HF_TRY(const auto rest, in.rest_of_line(jsonl::kMaxLineBytes + 1));
    if (rest) {
      const std::string_view line = rest->ends_with(',') ? rest->substr(0, rest->size() - 1) : *rest;
      // A text that begins with a whole value means that value, whatever follows.
      if (scanner_.shape(line).is_record()) {
        in.take(line.size());
        return line;
      }
    }
  }
  HF_TRY(const std::string_view span, in.span(jsonl::kMaxLineBytes));
  if (!scanner_.shape(span).is_record()) return no_record();
  if (by_line_ || (!span.contains('\n') && !span.contains('\r'))) return span;
  compact_.clear();
  append_compact(compact_, span);
  return std::string_view(compact_);
}

}  // namespace holdfast::transcripts
