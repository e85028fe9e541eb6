#include "kinds/transcripts/lines/byte_lines.h"

#include "base/files/file.h"
#include "base/files/new_file.h"
#include "jsonl/limits.h"

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <memory>

namespace holdfast::transcripts {

jsonl::LineReader lines_of(const reading::ByteSource& bytes, std::uint64_t from, std::uint64_t to) {
  return jsonl::LineReader::of_source([read = bytes.read, at = from, end = std::min(to, bytes.size)](
                                          char* into, std::size_t room) mutable -> Result<std::size_t> {
    const std::size_t wanted = at < end ? static_cast<std::size_t>(std::min<std::uint64_t>(room, end - at)) : 0;
    HF_TRY(const std::size_t got, wanted == 0 ? Result<std::size_t>(0) : read(at, std::span(into, wanted)));
    at += got;
    return got;
  });
}

ZstdReader::Source in_order(const reading::ByteSource& bytes) {
  return [read = bytes.read, at = std::uint64_t{0}](char* to, std::size_t room) mutable -> Result<std::size_t> {
    HF_TRY(const std::size_t got, read(at, std::span(to, room)));
    at += got;
    return got;
  };
}

ZstdReader::Source in_order(const Fd& file) {
  return [&file](char* to, std::size_t room) -> Result<std::size_t> {
    for (;;) {
      const ssize_t got = ::read(file.get(), to, room);
      if (got >= 0) return static_cast<std::size_t>(got);
      if (errno != EINTR) return fail(system_error("reading a compressed transcript", errno));
    }
  };
}

Result<jsonl::LineReader> lines_of_zstd(ZstdReader::Source packed) {
  HF_TRY(ZstdReader made, ZstdReader::make(std::move(packed)));
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

Result<Fd> unpacked(ZstdReader::Source packed) {
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::temp_directory_path(error);
  if (error) return fail(system_error("the folder for temporary files", error.value()));
  HF_TRY(Fd file, make_temporary(folder.string()));
  HF_TRY(auto reader, ZstdReader::make(std::move(packed)));
  std::string buffer(jsonl::kReadBytes, '\0');
  for (std::uint64_t total = 0;;) {
    HF_TRY(const std::size_t got, reader.read(buffer.data(), buffer.size()));
    if (got == 0) return file;
    total += got;
    if (total > kMaxReadUnpacked)
      return fail(ErrorKind::too_large, fmt::format("the transcript unpacks to more than {} bytes", kMaxReadUnpacked));
    HF_CHECK(write_all(file.get(), std::string_view(buffer).substr(0, got)));
  }
}

}  // namespace holdfast::transcripts
