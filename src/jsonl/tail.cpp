#include "jsonl/tail.h"

#include "jsonl/limits.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>

namespace holdfast::jsonl {
namespace {

Result<struct stat> status_of(const Fd& fd) {
  struct stat status{};
  if (::fstat(fd.get(), &status) != 0) return fail(system_error("looking at a transcript", errno));
  return status;
}

}  // namespace

Result<LiveFile> LiveFile::of(Fd fd) {
  HF_TRY(const struct stat moment, status_of(fd));
  if (!S_ISREG(moment.st_mode)) return fail(ErrorKind::invalid, "not a regular file");
  return LiveFile(std::move(fd), moment);
}

LineReader LiveFile::lines(std::uint64_t from, std::size_t max_line_bytes) const {
  return LineReader::of_range(fd_.get(), from, size(), max_line_bytes);
}

Result<bool> LiveFile::only_grew(const Fd& now) const {
  HF_TRY(const struct stat mine, status_of(fd_));
  HF_TRY(const struct stat theirs, status_of(now));
  const bool same = theirs.st_dev == moment_.st_dev && theirs.st_ino == moment_.st_ino;
  return same && mine.st_size >= moment_.st_size;
}

Result<std::uint64_t> end_of_complete_lines(int fd, std::uint64_t end) {
  std::string chunk(std::min<std::uint64_t>(kReadBytes, end), '\0');
  while (end > 0) {
    const std::uint64_t from = end - std::min<std::uint64_t>(chunk.size(), end);
    const ssize_t got = ::pread(fd, chunk.data(), end - from, static_cast<off_t>(from));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail(system_error("reading the end of a transcript", errno));
    if (static_cast<std::uint64_t>(got) < end - from) return fail(ErrorKind::conflict, "the file was cut while it was read");
    const std::size_t newline = std::string_view(chunk).substr(0, static_cast<std::size_t>(got)).rfind('\n');
    if (newline != std::string_view::npos) return from + newline + 1;
    end = from;
  }
  return 0;
}

}  // namespace holdfast::jsonl
