#include "jsonl/splice_lines.h"

#include "base/file.h"

namespace holdfast::jsonl {
namespace {

// Output gathered into writes of a useful size; a line larger than that goes out by itself.
class Gathered {
 public:
  explicit Gathered(int fd) : fd_(fd) {}

  std::string& buffer() { return buffer_; }
  Result<void> write_if_large() { return buffer_.size() < kWriteBytes ? Result<void>{} : flush(); }
  Result<void> flush() {
    written_ += buffer_.size();
    HF_CHECK(write_all(fd_, buffer_));
    buffer_.clear();
    return {};
  }
  std::uint64_t written() const { return written_; }

 private:
  int fd_;
  std::string buffer_;
  std::uint64_t written_ = 0;
};

}  // namespace

Result<SpliceCounts> splice_lines(LineReader& lines, Splicer& splicer, int out) {
  SpliceCounts counts;
  Gathered gathered(out);
  std::uint64_t overlong_number = 0;
  for (;;) {
    HF_TRY(const std::optional<Line> line, lines.next());
    if (!line) break;
    counts.bytes_in += line->bytes().size();
    if (line->overlong) {
      if (line->number != overlong_number) ++counts.lines, ++counts.overlong_lines;
      overlong_number = line->number;
      gathered.buffer() += line->bytes();
    } else {
      ++counts.lines;
      const LineReport report = splicer.splice(line->text, gathered.buffer());
      gathered.buffer() += line->ending;
      ++counts.by_shape[static_cast<std::size_t>(report.shape)];
      if (!report.valid_utf8) ++counts.invalid_utf8_lines;
      if (splicer.last_edits() > 0) ++counts.edited_lines;
      counts.edits += splicer.last_edits();
    }
    HF_CHECK(gathered.write_if_large());
  }
  HF_CHECK(gathered.flush());
  counts.bytes_out = gathered.written();
  return counts;
}

}  // namespace holdfast::jsonl
