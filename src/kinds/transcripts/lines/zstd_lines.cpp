#include "kinds/transcripts/lines/zstd_lines.h"

#include "base/files/zstd.h"

#include <unistd.h>

#include <cerrno>
#include <memory>

namespace holdfast::transcripts {
namespace {

Result<std::size_t> read_some(int fd, char* to, std::size_t room) {
  for (;;) {
    const ssize_t got = ::read(fd, to, room);
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno != EINTR) return fail(system_error("reading a compressed transcript", errno));
  }
}

}  // namespace

Result<jsonl::LineReader> lines_of_zstd(int fd) {
  HF_TRY(ZstdReader made, ZstdReader::make([fd](char* to, std::size_t room) { return read_some(fd, to, room); }));
  // Shared, because a std::function must be copyable; nobody copies it.
  auto reader = std::make_shared<ZstdReader>(std::move(made));
  return jsonl::LineReader::of_source(
      [reader, total = std::uint64_t{0}](char* to, std::size_t room) mutable -> Result<std::size_t> {
        HF_TRY(const std::size_t got, reader->read(to, room));
        total += got;
        if (total > kMaxUnpackedBytes) return fail(ErrorKind::too_large, "a compressed transcript of more than 16 GiB");
        return got;
      });
}

}  // namespace holdfast::transcripts
