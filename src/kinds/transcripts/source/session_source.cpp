// The bytes of a session (session_source.h): what is the same wherever they lie.

#include "kinds/transcripts/source/session_source.h"

#include "jsonl/limits.h"
#include "jsonl/scan.h"
#include "kinds/transcripts/lines/byte_lines.h"
#include "kinds/transcripts/products/codex/codex_file_name.h"

#include <algorithm>

namespace holdfast::transcripts {
namespace {

// One reading of files to a receiver.
class ReadingFiles {
 public:
  ReadingFiles(SessionSource& source, std::span<const Artifact> files, Receiver& receiver, const Progress& progress)
      : source_(source), files_(files), receiver_(receiver), progress_(progress) {
    for (const Artifact& file : files) total_ += file.size;
  }

  Result<void> run() {
    for (const Artifact& file : files_) HF_CHECK(read_file(file));
    return {};
  }

 private:
  Result<void> read_file(const Artifact& artifact) {
    const auto file = source_.stored(artifact.path);
    if (!file) {
      const bool gone = file.error().kind == ErrorKind::not_found && artifact.kind != ArtifactKind::main_transcript;
      return gone ? Result<void>{} : fail(file.error());
    }
    HF_CHECK(receiver_.begin(artifact));
    if (file->compressed && !artifact.path.ends_with(kCompressedEnding)) {
      HF_TRY(jsonl::LineReader lines, lines_of_zstd(in_order(*file)));
      HF_CHECK(read_lines(lines));
    } else if (is_line_file(artifact.kind) && !file->compressed) {
      jsonl::LineReader lines = lines_of(*file);
      HF_TRY(const std::uint64_t read, read_lines(lines));
      if (read != file->size) return cut(artifact);
    } else {
      HF_CHECK(read_bytes(artifact, *file));
    }
    HF_CHECK(still_the_same(artifact, *file));
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

  Result<void> read_bytes(const Artifact& artifact, const SessionSource::Bytes& file) {
    if (!buffer_) buffer_ = std::make_unique_for_overwrite<char[]>(jsonl::kReadBytes);
    for (std::uint64_t at = 0; at < file.size;) {
      const std::size_t wanted = std::min<std::uint64_t>(jsonl::kReadBytes, file.size - at);
      HF_TRY(const std::size_t got, file.read(at, std::span(buffer_.get(), wanted)));
      if (got == 0) return cut(artifact);
      HF_CHECK(receiver_.bytes({buffer_.get(), got}));
      at += got;
      HF_CHECK(tell(got));
    }
    return {};
  }

  // What is not on disk is never written to.
  Result<void> still_the_same(const Artifact& artifact, const SessionSource::Bytes& file) {
    if (!source_.on_disk()) return {};
    const auto now = source_.stored(artifact.path);
    return now && now->incarnation == file.incarnation && now->size >= file.size ? Result<void>{} : cut(artifact);
  }

  std::unexpected<Error> cut(const Artifact& artifact) const {
    if (!source_.on_disk()) return fail(ErrorKind::corrupt, artifact.path + " is shorter than it was when it was kept");
    return fail(ErrorKind::conflict, "a file of the session was replaced or cut while it was read",
                "try again when nothing rewrites it");
  }

  Result<void> tell(std::uint64_t bytes) {
    done_ += bytes;
    if (progress_ && !progress_("read", done_, std::max(done_, total_)))
      return fail(ErrorKind::cancelled, "stopped while the session was read");
    return {};
  }

  SessionSource& source_;
  std::span<const Artifact> files_;
  Receiver& receiver_;
  const Progress& progress_;
  std::uint64_t done_ = 0, total_ = 0;
  jsonl::Scanner scanner_;
  std::unique_ptr<char[]> buffer_;
};

}  // namespace

LineIndex::Product SessionSource::product() const {
  return session_.codex() ? LineIndex::Product::codex : LineIndex::Product::claude;
}

Result<void> SessionSource::read(std::span<const Artifact> files, Receiver& receiver, const Progress& progress) {
  return ReadingFiles(*this, files, receiver, progress).run();
}

Result<reading::ByteSource> SessionSource::open(const std::string& path) {
  HF_TRY(const Bytes bytes, stored(path));
  if (!bytes.compressed) return bytes;
  HF_TRY(Fd whole, unpacked(in_order(bytes)));
  HF_TRY(reading::ByteSource source, reading::file_source(std::move(whole)));
  source.incarnation = bytes.incarnation;
  return source;
}

Result<SessionLine> SessionSource::line(Extent extent) {
  HF_TRY(const Bytes bytes, stored(session_.path()));
  if (const CodexSession* const codex = session_.codex()) {
    HF_TRY(CodexSession summary, summarise_codex(bytes, *codex));
    return to_line(std::move(summary));
  }
  HF_TRY(Summary summary, summarise(bytes, *session_.claude(), extent == Extent::whole));
  return to_line(std::move(summary));
}

Result<ArchiveHeader> SessionSource::header() {
  ArchiveHeader header;
  header.session_id = session_.id();
  header.product = session_.product();
  header.byte_true = true;
  HF_TRY(const Bytes bytes, stored(session_.path()));
  if (const CodexSession* const codex = session_.codex()) {
    HF_TRY(const CodexSession summary, summarise_codex(bytes, *codex));
    header.original_project_path = summary.cwd;
  } else {
    header.project_folder = session_.claude()->place.project_folder;
    HF_TRY(header.original_project_path, project_root_of(bytes, *session_.claude()));
  }
  return header;
}

Result<Inventory> SessionSource::rollout() {
  HF_TRY(const Bytes bytes, stored(session_.path()));
  Artifact artifact;
  artifact.kind = ArtifactKind::main_transcript;
  artifact.path = session_.path();
  artifact.size = bytes.size;
  artifact.mode = bytes.mode;
  artifact.mtime = bytes.mtime;
  if (bytes.compressed) {
    artifact.path.resize(artifact.path.size() - kCompressedEnding.size());
    artifact.size = 0;
    HF_TRY(jsonl::LineReader lines, lines_of_zstd(in_order(bytes)));
    for (;;) {
      HF_TRY(const auto line, lines.next());
      if (!line) break;
      artifact.size += line->bytes().size();
    }
  }
  Inventory inventory;
  inventory.place.session_id = session_.id();
  inventory.artifacts.push_back(std::move(artifact));
  return inventory;
}

}  // namespace holdfast::transcripts
