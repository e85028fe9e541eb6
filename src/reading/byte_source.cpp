#include "reading/byte_source.h"

#include <fmt/format.h>

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <memory>

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

}  // namespace holdfast::reading
