#include "kinds/transcripts/archive/archive_copies.h"

#include "base/files/file.h"
#include "base/files/zstd.h"
#include "base/text/text.h"
#include "jsonl/line_reader.h"
#include "kinds/transcripts/products/codex/codex_file_name.h"
#include "kinds/transcripts/rewrite/redact.h"

#include <unistd.h>

#include <cerrno>

namespace holdfast::transcripts {
namespace {

// A private key has many lines, so texts are looked at in blocks of this size, cut at a newline.
constexpr std::size_t kMaskBytes = 16 * 1024 * 1024;
// A decompressed Codex session; as for archives (archive_reader.h).
constexpr std::uint64_t kMaxUnpackedCodexBytes = 4ULL << 30;

jsonl::SpliceRules masking(std::uint64_t& count) {
  jsonl::SpliceRules rules;
  rules.decide = [&count](jsonl::StringSite& site) {
    const std::vector<Secret> secrets = find_secrets(site.text());
    for (const Secret& secret : secrets) site.replace(secret.from, secret.to, "[redacted:" + std::string(secret.shape) + "]");
    count += secrets.size();
  };
  return rules;
}

}  // namespace

ArchiveCopies::ArchiveCopies(const Home& home, bool redact, std::function<Result<int>()> make)
    : home_(home), redact_(redact), make_(std::move(make)), splicer_(masking(redacted_)) {}

Result<void> ArchiveCopies::replace(SurveyedFile& file) {
  const bool compressed = file.slot.holder == Holder::main_session && file.artifact.path.ends_with(kCompressedEnding);
  if (compressed) HF_CHECK(unpack(file));
  if (redact_) HF_CHECK(mask(file));
  return {};
}

Result<void> ArchiveCopies::unpack(SurveyedFile& file) {
  HF_TRY(const Content content, Content::open(home_, file));
  HF_CHECK(begin());
  std::uint64_t at = content.from();
  const auto source = [&](char* to, std::size_t room) -> Result<std::size_t> {
    const ssize_t got = ::pread(content.fd(), to, std::min<std::uint64_t>(room, content.to() - at), static_cast<off_t>(at));
    if (got < 0) return fail(system_error(file.artifact.path, errno));
    at += static_cast<std::uint64_t>(got);
    return static_cast<std::size_t>(got);
  };
  HF_TRY(ZstdReader reader, ZstdReader::make(source));
  std::string buffer(jsonl::kReadBytes, '\0');
  for (;;) {
    HF_TRY(const std::size_t got, reader.read(buffer.data(), buffer.size()));
    if (got == 0) break;
    if (size_ - start_ + got > kMaxUnpackedCodexBytes)
      return fail(ErrorKind::too_large, file.artifact.path + " unpacks to more than 4 GiB");
    HF_CHECK(write({buffer.data(), got}));
  }
  end(file);
  file.artifact.path.resize(file.artifact.path.size() - kCompressedEnding.size());
  return {};
}

Result<void> ArchiveCopies::mask(SurveyedFile& file) {
  HF_TRY(const Content content, Content::open(home_, file));
  HF_CHECK(begin());
  if (is_line_file(file.artifact.kind))
    HF_CHECK(mask_lines(content));
  else
    HF_CHECK(mask_text(content, file.artifact.path.ends_with(".json")));
  end(file);
  return {};
}

// String by string where it is JSON, so that no escape hides a secret; else as it stands.
void ArchiveCopies::mask_json(std::string_view json, std::string_view text, std::string& out) {
  const std::size_t size = out.size();
  const std::uint64_t count = redacted_;
  if (!json.empty() && splicer_.splice(json, out).parsed()) return;
  out.resize(size);
  redacted_ = count;
  out += redact(text, &redacted_);
}

Result<void> ArchiveCopies::mask_lines(const Content& content) {
  auto lines = jsonl::LineReader::of_range(content.fd(), content.from(), content.to());
  std::string out;
  for (;;) {
    HF_TRY(const auto line, lines.next());
    if (!line) return write(out);
    mask_json(line->overlong ? std::string_view() : line->text, line->text, out);
    out += line->ending;
    if (out.size() < jsonl::kWriteBytes) continue;
    HF_CHECK(write(out));
    out.clear();
  }
}

// Texts; what is not text (images) holds no credential that could be found, and would be damaged.
Result<void> ArchiveCopies::mask_text(const Content& content, bool json) {
  std::string block;
  const auto flush = [&](std::size_t size) -> Result<void> {
    const std::string_view part = std::string_view(block).substr(0, size);
    std::string out;
    if (is_valid_utf8(part))
      mask_json(json ? part : std::string_view(), part, out);
    else
      out = part;
    HF_CHECK(write(out));
    block.erase(0, size);
    return {};
  };
  HF_CHECK(content.each_piece([&](std::string_view piece) -> Result<void> {
    block += piece;
    if (block.size() < kMaskBytes) return {};
    const std::size_t newline = block.rfind('\n');
    return flush(newline == block.npos ? block.size() : newline + 1);
  }));
  return flush(block.size());
}

Result<void> ArchiveCopies::begin() {
  HF_TRY(fd_, make_());
  start_ = size_;
  return {};
}

Result<void> ArchiveCopies::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::pwrite(fd_, bytes.data(), bytes.size(), static_cast<off_t>(size_));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return fail(system_error("writing a copy for the archive", errno));
    size_ += static_cast<std::uint64_t>(written);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

void ArchiveCopies::end(SurveyedFile& file) {
  file.origin = Origin{{}, fd_, start_};
  file.bytes = file.artifact.size = size_ - start_;
}

}  // namespace holdfast::transcripts
