#include "kinds/transcripts/archive/archive_copies.h"

#include "base/text/text.h"
#include "kinds/transcripts/lines/byte_lines.h"
#include "kinds/transcripts/rewrite/redact.h"

#include <unistd.h>

#include <cerrno>

namespace holdfast::transcripts {
namespace {

// A private key has many lines, so texts are looked at in blocks of this size, cut at a newline.
constexpr std::size_t kMaskBytes = 16 * 1024 * 1024;

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

ArchiveCopies::ArchiveCopies(SessionSource& source, bool redact, std::function<Result<int>()> make)
    : source_(source), redact_(redact), make_(std::move(make)), splicer_(masking(redacted_)) {}

Result<void> ArchiveCopies::replace(SurveyedFile& file) {
  return redact_ ? mask(file) : Result<void>{};
}

Result<void> ArchiveCopies::mask(SurveyedFile& file) {
  HF_TRY(const reading::ByteSource content, content_of(source_, file));
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

Result<void> ArchiveCopies::mask_lines(const reading::ByteSource& content) {
  auto lines = lines_of(content);
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
Result<void> ArchiveCopies::mask_text(const reading::ByteSource& content, bool json) {
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
  HF_CHECK(each_piece(content, [&](std::string_view piece) -> Result<void> {
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
