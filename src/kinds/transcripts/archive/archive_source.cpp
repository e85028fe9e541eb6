#include "kinds/transcripts/archive/archive_source.h"

#include "base/files/zstd.h"
#include "base/text/text.h"
#include "jsonl/limits.h"
#include "kinds/transcripts/archive/archive_decode.h"
#include "kinds/transcripts/lines/hash_beside.h"

#include <fmt/format.h>

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <optional>

namespace holdfast::transcripts {
namespace {

enum class Wrapping { none, base64 };
enum class Packing { none, zstd };

// '{' or the magic number of zstd, as the first characters of base64.
bool looks_like_base64(std::string_view bytes) {
  if (bytes.starts_with("KLUv/")) return true;
  constexpr std::string_view kBehindBrace = "wxyz0123456789+/";
  return bytes.size() >= 4 && bytes[0] == 'e' && kBehindBrace.contains(bytes[1]);
}

std::string_view without_blanks(std::string_view bytes) {
  const std::size_t first = bytes.find_first_not_of(" \t\r\n");
  return first == bytes.npos ? std::string_view() : bytes.substr(first);
}

class ArchiveFileSource final : public ArchiveSource {
 public:
  ArchiveFileSource(int fd, std::uint64_t file_size, const ArchiveLimits& limits)
      : fd_(fd), file_size_(file_size), limits_(limits) {}

  Result<void> begin() {
    std::string head(64, '\0');
    HF_TRY(std::size_t got, from_file(head.data(), head.size()));
    head.resize(got);
    position_ = 0;
    Packing packing = Packing::none;
    if (looks_like_zstd(head)) {
      packing = Packing::zstd;
    } else if (head.starts_with(kByteOrderMark)) {
      position_ = kByteOrderMark.size();
    } else if (looks_like_base64(without_blanks(head))) {
      wrapping_ = Wrapping::base64;
      packing = without_blanks(head).starts_with("KLUv/") ? Packing::zstd : Packing::none;
    } else if (!without_blanks(head).starts_with('{')) {
      return fail(ErrorKind::corrupt, "this is no archive: neither JSON, nor zstd, nor base64 of either");
    }
    if (packing == Packing::zstd) {
      HF_TRY(ZstdReader zstd, ZstdReader::make([this](char* to, std::size_t room) { return unwrapped(to, room); }));
      zstd_.emplace(std::move(zstd));
      if (file_size_ >= kReadAheadFrom)
        ahead_ = std::make_unique<ReadAhead>([this](char* to, std::size_t room) { return within_limits(to, room); });
    }
    return {};
  }

  Result<std::size_t> read(char* to, std::size_t room) override {
    return ahead_ ? ahead_->read(to, room) : within_limits(to, room);
  }
  std::uint64_t position() const override { return position_; }
  std::uint64_t file_size() const override { return file_size_; }

 private:
  Result<std::size_t> within_limits(char* to, std::size_t room) {
    HF_TRY(const std::size_t got, zstd_ ? zstd_->read(to, room) : unwrapped(to, room));
    given_ += got;
    if (given_ > limits_.max_bytes)
      return fail(ErrorKind::too_large, fmt::format("the archive unpacks to more than {} bytes", limits_.max_bytes));
    if (given_ > limits_.ratio_from && given_ / limits_.max_ratio > file_size_)
      return fail(ErrorKind::too_large, fmt::format("the archive unpacks to more than {} times its size", limits_.max_ratio));
    return got;
  }

  Result<std::size_t> unwrapped(char* to, std::size_t room) {
    if (wrapping_ == Wrapping::none) return from_file(to, room);
    while (decoded_.empty() && !text_ended_) {
      std::string text(jsonl::kReadBytes, '\0');
      HF_TRY(const std::size_t got, from_file(text.data(), text.size()));
      text_ended_ = got == 0;
      HF_CHECK(text_ended_ ? decoder_.finish(decoded_) : decoder_.add(std::string_view(text).substr(0, got), decoded_));
    }
    const std::size_t count = std::min(room, decoded_.size());
    std::memcpy(to, decoded_.data(), count);
    decoded_.erase(0, count);
    return count;
  }

  Result<std::size_t> from_file(char* to, std::size_t room) {
    for (;;) {
      const ssize_t got = ::pread(fd_, to, room, static_cast<off_t>(position_.load()));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return fail(system_error("reading the archive", errno));
      position_ += static_cast<std::uint64_t>(got);
      return static_cast<std::size_t>(got);
    }
  }

  int fd_;
  std::uint64_t file_size_;
  ArchiveLimits limits_;
  Wrapping wrapping_ = Wrapping::none;
  std::atomic<std::uint64_t> position_ = 0;
  std::uint64_t given_ = 0;
  Base64Decoder decoder_;
  std::string decoded_;
  bool text_ended_ = false;
  std::optional<ZstdReader> zstd_;
  std::unique_ptr<ReadAhead> ahead_;  // last: its thread uses all of the above
};

}  // namespace

Result<std::unique_ptr<ArchiveSource>> ArchiveSource::open(int fd, const ArchiveLimits& limits) {
  struct stat status{};
  if (::fstat(fd, &status) != 0) return fail(system_error("the archive", errno));
  if (!S_ISREG(status.st_mode)) return fail(ErrorKind::invalid, "an archive must be a regular file");
  auto source = std::make_unique<ArchiveFileSource>(fd, static_cast<std::uint64_t>(status.st_size), limits);
  HF_CHECK(source->begin());
  return source;
}

}  // namespace holdfast::transcripts
