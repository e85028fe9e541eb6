#include "kinds/transcripts/reading/read_session.h"

#include "jsonl/limits.h"
#include "jsonl/scan.h"
#include "jsonl/tail.h"
#include "kinds/transcripts/lines/each_line.h"
#include "kinds/transcripts/products/codex/codex_file_name.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>

namespace holdfast::transcripts {
namespace {

class Reading {
 public:
  Reading(const Home& home, std::span<const Artifact> artifacts, Receiver& receiver, const Progress& progress)
      : home_(home), artifacts_(artifacts), receiver_(receiver), progress_(progress) {
    for (const Artifact& artifact : artifacts) total_ += artifact.size;
  }

  Result<void> run() {
    for (const Artifact& artifact : artifacts_) {
      auto read = read_artifact(artifact);
      if (!read) return read;
    }
    return {};
  }

 private:
  Result<void> read_artifact(const Artifact& artifact) {
    std::string path = artifact.path;
    auto fd = home_.open_file(path);
    // Codex compresses sessions that have been idle for long; a plain file wins.
    const auto codex = codex_file_of(path);
    bool compressed = codex && codex->compressed;
    if (!fd && fd.error().kind == ErrorKind::not_found && codex && !compressed) {
      fd = home_.open_file(path += ".zst");
      compressed = true;
    }
    if (!fd) {
      const bool gone = fd.error().kind == ErrorKind::not_found && artifact.kind != ArtifactKind::main_transcript;
      if (gone) return {};
      return fail(std::move(fd).error());
    }
    HF_TRY(const auto file, jsonl::LiveFile::of(*std::move(fd)));
    HF_CHECK(receiver_.begin(artifact));
    if (compressed) {
      HF_TRY(auto lines, lines_of_zstd(file.fd()));
      HF_CHECK(read_lines(lines));
    } else if (is_line_file(artifact.kind)) {
      auto lines = file.lines();
      HF_TRY(const std::uint64_t read, read_lines(lines));
      if (read != file.size()) return cut();
    } else {
      HF_CHECK(read_bytes(file));
    }
    HF_CHECK(still_the_same(path, file));
    return receiver_.end();
  }

  Result<std::uint64_t> read_lines(jsonl::LineReader& lines) {
    const bool judges = !receiver_.judges_lines();
    std::uint64_t read = 0;
    for (;;) {
      HF_TRY(const auto line, lines.next());
      if (!line) return read;
      const bool record = judges && !line->overlong && scanner_.shape(line->text).is_record();
      HF_CHECK(receiver_.line({line->text, line->ending, record, line->overlong}));
      read += line->bytes().size();
      HF_CHECK(tell(line->bytes().size()));
    }
  }

  Result<void> read_bytes(const jsonl::LiveFile& file) {
    if (!buffer_) buffer_ = std::make_unique_for_overwrite<char[]>(jsonl::kReadBytes);
    for (std::uint64_t at = 0; at < file.size();) {
      const std::size_t wanted = std::min<std::uint64_t>(jsonl::kReadBytes, file.size() - at);
      const ssize_t got = ::pread(file.fd(), buffer_.get(), wanted, static_cast<off_t>(at));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return fail(system_error("reading a file of the session", errno));
      if (got == 0) return cut();
      HF_CHECK(receiver_.bytes({buffer_.get(), static_cast<std::size_t>(got)}));
      at += static_cast<std::uint64_t>(got);
      HF_CHECK(tell(static_cast<std::uint64_t>(got)));
    }
    return {};
  }

  Result<void> still_the_same(const std::string& path, const jsonl::LiveFile& file) {
    const auto now = home_.open_file(path);
    if (now) {
      HF_TRY(const bool same, file.only_grew(*now));
      if (same) return {};
    }
    return cut();
  }

  static std::unexpected<Error> cut() {
    return fail(ErrorKind::conflict, "a file of the session was replaced or cut while it was read",
                "try again when nothing rewrites it");
  }

  Result<void> tell(std::uint64_t bytes) {
    done_ += bytes;
    if (progress_ && !progress_("read", done_, std::max(done_, total_)))
      return fail(ErrorKind::cancelled, "stopped while the session was read");
    return {};
  }

  const Home& home_;
  std::span<const Artifact> artifacts_;
  Receiver& receiver_;
  const Progress& progress_;
  std::uint64_t done_ = 0, total_ = 0;
  jsonl::Scanner scanner_;
  std::unique_ptr<char[]> buffer_;
};

}  // namespace

Result<void> read_session(const Home& home, std::span<const Artifact> artifacts, Receiver& receiver, const Progress& progress) {
  return Reading(home, artifacts, receiver, progress).run();
}

}  // namespace holdfast::transcripts
