#include "kinds/transcripts/lines/each_line.h"

#include "base/files/zstd.h"
#include "jsonl/tail.h"
#include "kinds/transcripts/home/home.h"

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
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

Result<void> each_line(const Home& home, std::span<const Artifact> artifacts, std::string_view step, const TakeLine& take,
                       const Progress& progress) {
  std::uint64_t done = 0, total = 0;
  for (const Artifact& artifact : artifacts)
    if (is_line_file(artifact.kind)) total += artifact.size;
  for (const Artifact& artifact : artifacts) {
    if (!is_line_file(artifact.kind)) continue;
    auto fd = open_plain(home, artifact.path);
    if (!fd && fd.error().kind == ErrorKind::not_found) continue;
    if (!fd) return fail(std::move(fd).error());
    HF_TRY(const auto file, jsonl::LiveFile::of(*std::move(fd)));
    auto lines = file.lines();
    std::uint64_t told = done;
    while (true) {
      HF_TRY(const auto line, lines.next());
      if (!line) break;
      HF_CHECK(take(artifact, *line));
      done += line->bytes().size();
      // Records are small: asking once per read of the file is often enough.
      if (!progress || done - told < jsonl::kReadBytes) continue;
      told = done;
      if (!progress(step, done, std::max(done, total))) return fail(ErrorKind::cancelled, fmt::format("{}: stopped", step));
    }
  }
  return {};
}

}  // namespace holdfast::transcripts
