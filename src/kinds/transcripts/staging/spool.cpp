#include "base/files/file.h"
#include "base/files/new_file.h"
#include "jsonl/limits.h"
#include "kinds/transcripts/archive/archive_reader.h"

#include <fmt/format.h>

#include <unistd.h>

#include <cerrno>
#include <string>

namespace holdfast::transcripts {

Result<Fd> spool(int stream, const std::string& folder, std::uint64_t max_bytes) {
  HF_TRY(Fd file, make_temporary(folder));
  std::string buffer(jsonl::kReadBytes, '\0');
  for (std::uint64_t total = 0;;) {
    const ssize_t got = ::read(stream, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail(system_error("reading the archive", errno));
    if (got == 0) return file;
    total += static_cast<std::uint64_t>(got);
    if (total > max_bytes) return fail(ErrorKind::too_large, fmt::format("the archive has more than {} bytes", max_bytes));
    HF_CHECK(write_all(file.get(), std::string_view(buffer).substr(0, static_cast<std::size_t>(got))));
  }
}

}  // namespace holdfast::transcripts
