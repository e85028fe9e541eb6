#include "kinds/transcripts/lines/hashed_lines.h"

#include "kinds/transcripts/lines/read_ahead.h"

#include <algorithm>
#include <memory>

namespace holdfast::transcripts {
namespace {

class HashingSource {
 public:
  explicit HashingSource(const reading::ByteSource& bytes) : bytes_(bytes) {}

  Result<std::size_t> read(char* into, std::size_t room) {
    const std::size_t wanted = std::min<std::uint64_t>(room, bytes_.size - at_);
    if (wanted == 0) return 0;
    HF_TRY(const std::size_t got, bytes_.read(at_, std::span(into, wanted)));
    if (got == 0) return fail(ErrorKind::conflict, "a file was cut while it was read", "try again when nothing rewrites it");
    hash_.add({into, got});
    at_ += got;
    return got;
  }
  Digest digest() { return hash_.finish(); }

 private:
  const reading::ByteSource& bytes_;
  std::uint64_t at_ = 0;
  Sha256 hash_;
};

}  // namespace

Result<Digest> each_hashed_line(const reading::ByteSource& bytes, const std::function<Result<void>(const jsonl::Line&)>& take) {
  HashingSource source(bytes);
  std::unique_ptr<ReadAhead> ahead;  // behind the source: its thread ends first
  if (bytes.size >= kReadAheadFrom)
    ahead = std::make_unique<ReadAhead>([&](char* into, std::size_t room) { return source.read(into, room); });

  auto lines = jsonl::LineReader::of_source(
      [&](char* into, std::size_t room) { return ahead ? ahead->read(into, room) : source.read(into, room); });
  for (;;) {
    HF_TRY(const auto line, lines.next());
    if (!line) break;
    HF_CHECK(take(*line));
  }
  ahead.reset();
  return source.digest();
}

}  // namespace holdfast::transcripts
