#include "kinds/transcripts/lines/hashed_lines.h"

#include "kinds/transcripts/lines/read_ahead.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>

namespace holdfast::transcripts {
namespace {

class HashingSource {
 public:
  HashingSource(int fd, std::uint64_t from, std::uint64_t to) : fd_(fd), at_(from), to_(to) {}

  Result<std::size_t> read(char* into, std::size_t room) {
    const std::size_t wanted = std::min<std::uint64_t>(room, to_ - at_);
    if (wanted == 0) return 0;
    for (;;) {
      const ssize_t got = ::pread(fd_, into, wanted, static_cast<off_t>(at_));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return fail(system_error("reading lines", errno));
      if (got == 0) return fail(ErrorKind::conflict, "a file was cut while it was read", "try again when nothing rewrites it");
      hash_.add({into, static_cast<std::size_t>(got)});
      at_ += static_cast<std::uint64_t>(got);
      return static_cast<std::size_t>(got);
    }
  }
  Digest digest() { return hash_.finish(); }

 private:
  int fd_;
  std::uint64_t at_, to_;
  Sha256 hash_;
};

}  // namespace

Result<Digest> each_hashed_line(int fd, std::uint64_t from, std::uint64_t to,
                                const std::function<Result<void>(const jsonl::Line&)>& take) {
  HashingSource source(fd, from, to);
  std::unique_ptr<ReadAhead> ahead;  // behind the source: its thread ends first
  if (to - from >= kReadAheadFrom)
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
