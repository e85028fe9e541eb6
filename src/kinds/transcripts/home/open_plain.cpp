#include "kinds/transcripts/home/open_plain.h"

#include "base/files/file.h"
#include "base/files/new_file.h"
#include "jsonl/limits.h"
#include "kinds/transcripts/products/codex/codex_file_name.h"

#include <fmt/format.h>

#include <unistd.h>

#include <cerrno>
#include <filesystem>

namespace holdfast::transcripts {

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

ZstdReader::Source bytes_of_file(const Fd& file) {
  return [&file](char* to, std::size_t room) -> Result<std::size_t> {
    for (;;) {
      const ssize_t got = ::read(file.get(), to, room);
      if (got >= 0) return static_cast<std::size_t>(got);
      if (errno != EINTR) return fail(system_error("reading a compressed transcript", errno));
    }
  };
}

Result<Fd> open_plain(const Home& home, const std::string& path) {
  auto plain = home.open_file(path);
  const auto rollout = codex_file_of(path);
  if (plain || plain.error().kind != ErrorKind::not_found || !rollout || rollout->compressed) return plain;
  const auto packed = home.open_file(path + ".zst");
  if (!packed) return plain;
  HF_TRY(Fd whole, unpacked(bytes_of_file(*packed)));
  if (::lseek(whole.get(), 0, SEEK_SET) != 0) return fail(system_error(path, errno));
  return whole;
}

}  // namespace holdfast::transcripts
