#include "reading/reading.h"

#include <fmt/format.h>

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace holdfast::reading {

Result<ByteSource> file_source(Fd fd) {
  struct stat status{};
  if (::fstat(fd.get(), &status) != 0) return fail(system_error("looking at a file", errno));
  if (!S_ISREG(status.st_mode)) return fail(ErrorKind::invalid, "not a regular file");
  ByteSource source;
  source.size = static_cast<std::uint64_t>(status.st_size);
  source.incarnation = fmt::format("{}:{}", status.st_dev, status.st_ino);
  source.read = [file = std::make_shared<const Fd>(std::move(fd))](std::uint64_t offset,
                                                                   std::span<char> to) -> Result<std::size_t> {
    std::size_t done = 0;
    while (done < to.size()) {
      const ssize_t got = ::pread(file->get(), to.data() + done, to.size() - done, static_cast<off_t>(offset + done));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return fail(system_error("reading a transcript", errno));
      if (got == 0) break;
      done += static_cast<std::size_t>(got);
    }
    return done;
  };
  return source;
}

Result<ImageBytes> Reading::image(std::string_view reference) {
  return fail(ErrorKind::not_found, fmt::format("there is no image {} in this session", reference));
}

Result<ByteSource> Reading::whole_record(std::uint64_t line) {
  return fail(ErrorKind::not_found, fmt::format("there is no line {} in this session", line));
}

Result<ByteSource> Reading::saved_file(std::string_view reference) {
  return fail(ErrorKind::not_found, fmt::format("there is no file {} in this session", reference));
}

Result<std::unique_ptr<Reading>> Reading::subagent(std::string_view id) {
  return fail(ErrorKind::not_found, fmt::format("there is no subagent {} in this session", id));
}

Result<void> each_window(Reading& reading, const ReadLimits& limits, const std::function<Result<void>(Window&)>& take) {
  WindowQuery query;
  query.limits = limits;
  // Every window shows a line or more of its own; one that goes round would keep us for ever.
  for (std::uint64_t windows = 0;; ++windows) {
    HF_TRY(Window window, reading.window(query));
    HF_CHECK(take(window));
    if (!window.next) return {};
    if (*window.next == query.from || windows > window.last_line)
      return fail(ErrorKind::internal, fmt::format("no way on behind line {}", query.from));
    query.from = *window.next;
  }
}

}  // namespace holdfast::reading
