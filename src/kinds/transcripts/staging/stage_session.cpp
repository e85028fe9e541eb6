#include "kinds/transcripts/staging/stage_session.h"

#include "base/files/file.h"
#include "base/text/find_bytes.h"
#include "base/text/text.h"
#include "jsonl/limits.h"

#include <fmt/format.h>

#include <array>
#include <cerrno>

namespace holdfast::transcripts {
namespace {

bool is_agent(ArtifactKind kind) {
  return kind == ArtifactKind::flat_agent || kind == ArtifactKind::nested_agent;
}

Result<Digest> hash_of_file(int fd) {
  Sha256 hash;
  std::string buffer(jsonl::kReadBytes, '\0');
  for (;;) {
    const ssize_t got = ::read(fd, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail(system_error("read staged file", errno));
    if (got == 0) return hash.finish();
    hash.add({buffer.data(), static_cast<std::size_t>(got)});
  }
}

}  // namespace

StageSession::StageSession(Options options) : options_(std::move(options)) {
  if (options_.rewriter) lines_.emplace(*options_.rewriter);
}

Result<StageSession::Way> StageSession::way_of(const Artifact& artifact) {
  auto path = options_.place(artifact);
  if (!path) {
    if (!options_.compare_with) return Way::skip;
    HF_TRY(auto other, options_.compare_with(artifact));
    if (!other) return Way::skip;
    other_ = *std::move(other);
    return Way::compare;
  }
  path_ = *std::move(path);
  if (!options_.rewriter) return Way::copy;
  if (is_line_file(artifact.kind)) return Way::lines;
  return Rewriter::rewrites_whole(artifact) ? Way::whole : Way::copy;
}

Result<void> StageSession::begin(const Artifact& artifact) {
  artifact_ = artifact;
  written_ = 0;
  write_back_ = {};
  out_ = -1;
  opaque_ = 0;
  in_long_line_ = false;
  HF_TRY(way_, way_of(artifact));
  if (way_ == Way::skip || way_ == Way::compare) return {};
  if (options_.rewriter) opaque_before_ = options_.rewriter->counts().opaque_lines;
  if (way_ == Way::lines) {
    records_before_ = options_.rewriter->counts().records;
    lines_->begin(artifact);
  }
  if (way_ == Way::whole) options_.rewriter->begin(artifact);
  if (options_.staging) {
    HF_TRY(out_, options_.staging->create(path_, options_.private_modes ? 0600 : artifact.mode));
  }
  return {};
}

Result<void> StageSession::line(const Piece& piece) {
  switch (way_) {
    case Way::skip:
      return {};
    case Way::compare:
      HF_CHECK(compare(piece.text));
      return compare(piece.ending);
    case Way::lines:
      HF_CHECK(lines_->line(piece.text, piece.ending, piece.overlong, buffer_));
      return write_if_large();
    default:
      buffer_ += piece.text;
      buffer_ += piece.ending;
      count_opaque(piece);
      if (piece.record) {
        count_records(1);
        if (artifact_.kind == ArtifactKind::main_transcript) look_for_title(piece.text);
      }
      return write_if_large();
  }
}

void StageSession::count_records(std::uint64_t records) {
  if (artifact_.kind == ArtifactKind::main_transcript) counts_.main_records += records;
  if (is_agent(artifact_.kind)) counts_.agent_records += records;
}

// Of a long line the last piece tells.
void StageSession::count_opaque(const Piece& piece) {
  in_long_line_ = piece.overlong && piece.ending.empty();
  if (!in_long_line_ && !piece.record && (piece.overlong || !trim(piece.text).empty())) ++opaque_;
}

void StageSession::warn_of_opaque() {
  if (options_.rewriter) opaque_ += options_.rewriter->counts().opaque_lines - opaque_before_;
  if (in_long_line_) ++opaque_;
  if (opaque_ == 0) return;
  const bool renamed = options_.rewriter && !options_.rewriter->identity().keeps_id();
  counts_.warnings.push_back(fmt::format("{}: {} no JSON record{} (torn, damaged, or too long to look into); copied as {}{}",
                                         artifact_.path, opaque_ == 1 ? "1 line is" : fmt::format("{} lines are", opaque_),
                                         opaque_ == 1 ? "" : "s", opaque_ == 1 ? "it is" : "they are",
                                         renamed ? ", but for the session's id" : ""));
}

// The bytes first: few records have a title, and this is asked of every one.
void StageSession::look_for_title(std::string_view record) {
  static constexpr std::array<std::string_view, 1> kNames{"customTitle"};
  if (find_bytes(record, "\"customTitle\"") == record.npos) return;
  std::array<jsonl::Token, 1> found;
  scanner_.fields(record, kNames, found);
  if (found[0].kind == jsonl::TokenKind::string) counts_.custom_title = found[0].text();
}

Result<void> StageSession::bytes(std::string_view bytes) {
  if (way_ == Way::skip) return {};
  if (way_ == Way::compare) return compare(bytes);
  if (way_ != Way::whole) {
    buffer_ += bytes;
    return write_if_large();
  }
  whole_ += bytes;
  if (whole_.size() <= kMaxRewrittenWhole) return {};
  // Larger than it said: from here on as it is.
  way_ = Way::copy;
  buffer_ += std::exchange(whole_, {});
  return write_if_large();
}

Result<void> StageSession::end() {
  if (way_ == Way::skip) return {};
  if (way_ == Way::compare) return compare_end();
  if (way_ == Way::lines) {
    HF_CHECK(lines_->end(buffer_));
    const RewriteCounts& rewritten = options_.rewriter->counts();
    count_records(rewritten.records - records_before_);
    if (rewritten.custom_title) counts_.custom_title = *rewritten.custom_title;
  }
  if (way_ == Way::whole) HF_CHECK(rewrite_whole());
  if (way_ == Way::copy && options_.rewriter && Rewriter::rewrites_whole(artifact_)) {
    counts_.warnings.push_back(fmt::format("{}: too large to be looked into, copied as it is", artifact_.path));
  }
  warn_of_opaque();
  HF_CHECK(flush());
  if (options_.staging) HF_CHECK(options_.staging->done());
  if (options_.hashes) hashes_.emplace_back(path_, hash_.finish());
  ++counts_.files[artifact_.kind];
  counts_.bytes += written_;
  if (is_agent(artifact_.kind)) counts_.agent_files.push_back(path_);
  return {};
}

Result<void> StageSession::rewrite_whole() {
  const std::string text = std::exchange(whole_, {});
  return options_.rewriter->whole(text, buffer_);
}

std::unexpected<Error> StageSession::differs() const {
  return fail(ErrorKind::conflict, artifact_.path + " exists already, with other content",
              "move that file away, or restore as a copy (without {in_place})");
}

Result<void> StageSession::compare(std::string_view bytes) {
  std::string other(bytes.size(), '\0');
  std::size_t filled = 0;
  while (filled < other.size()) {
    const ssize_t got =
        ::pread(other_.get(), other.data() + filled, other.size() - filled, static_cast<off_t>(written_ + filled));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail(system_error(artifact_.path, errno));
    if (got == 0) return differs();
    filled += static_cast<std::size_t>(got);
  }
  if (other != bytes) return differs();
  written_ += bytes.size();
  return {};
}

Result<void> StageSession::compare_end() {
  struct stat status{};
  if (::fstat(other_.get(), &status) != 0) return fail(system_error(artifact_.path, errno));
  return static_cast<std::uint64_t>(status.st_size) == written_ ? Result<void>{} : differs();
}

Result<void> StageSession::write_if_large() {
  return buffer_.size() < jsonl::kWriteBytes ? Result<void>{} : flush();
}

Result<void> StageSession::flush() {
  if (options_.hashes) hash_.add(buffer_);
  if (out_ >= 0) HF_CHECK(write_all(out_, buffer_));
  written_ += buffer_.size();
  buffer_.clear();
  // One line with an image may have made it large; the other lines do not need that.
  if (buffer_.capacity() > 4 * jsonl::kWriteBytes) buffer_.shrink_to_fit();
  if (out_ >= 0) write_back_.wrote(out_, written_);
  return {};
}

Result<void> StageSession::verify() const {
  for (const auto& [path, digest] : hashes_) {
    HF_TRY(const Fd file, options_.staging->staged(path));
    HF_TRY(const Digest again, hash_of_file(file.get()));
    if (again != digest) return fail(ErrorKind::corrupt, path + ": what was written is not what can be read");
  }
  return {};
}

Result<void> StageSession::check_there(const Home& home) const {
  for (const auto& [path, digest] : hashes_) {
    const auto file = home.open_file(path);
    if (!file && file.error().kind != ErrorKind::not_found) return fail(file.error());
    Result<Digest> there = file ? hash_of_file(file->get()) : Result<Digest>(Digest{});
    if (!there) return fail(std::move(there).error().within(path));
    if (*there == digest) continue;
    return fail(
        ErrorKind::conflict,
        fmt::format("the session exists already, and {} {}", home.absolute(path), file ? "has other content" : "is missing"),
        "nothing was written; without {in_place} a copy is made");
  }
  return {};
}

void describe_copy(CopyResult& result, const Home& home, const SessionPlace& place, const Identity& identity,
                   const StageSession::Counts& counts, const RewriteCounts& rewritten) {
  result.main_session_file = home.absolute(place.transcript());
  for (const std::string& path : counts.agent_files) result.agent_files.push_back(home.absolute(path));
  result.main_records = counts.main_records;
  result.agent_records = counts.agent_records;
  result.files = counts.files;
  result.bytes = counts.bytes;
  result.slug_mappings = identity.slugs.size();
  result.agent_id_mappings = identity.agents.size();
  result.resume_command = resume_command(result.project_path, place.session_id);
  result.rewritten = rewritten;
  result.warnings.insert(result.warnings.end(), counts.warnings.begin(), counts.warnings.end());
}

}  // namespace holdfast::transcripts
