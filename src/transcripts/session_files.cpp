#include "transcripts/session_files.h"

#include "base/file.h"
#include "base/zstd.h"
#include "jsonl/limits.h"
#include "transcripts/new_file.h"

#include <fmt/format.h>

#include <dirent.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

namespace holdfast::transcripts {
namespace {

constexpr std::string_view kEnding = ".jsonl";
constexpr std::size_t kDepth = 4;  // subagents/workflows/wf_…/agent-…

Result<Fd> unpacked(const Fd& packed) {
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::temp_directory_path(error);
  if (error) return fail(system_error("the folder for temporary files", error.value()));
  HF_TRY(Fd file, make_temporary(folder.string()));
  HF_TRY(auto reader, ZstdReader::make([&packed](char* to, std::size_t room) -> Result<std::size_t> {
           for (;;) {
             const ssize_t got = ::read(packed.get(), to, room);
             if (got >= 0) return static_cast<std::size_t>(got);
             if (errno != EINTR) return fail(system_error("reading a compressed transcript", errno));
           }
         }));
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

class FilesOnDisk final : public SessionFiles {
 public:
  FilesOnDisk(Home home, const AnySession& session)
      : home_(std::move(home)),
        transcript_(session.path()),
        folder_(session.claude() ? session.claude()->place.folder() : std::string()),
        compressed_(session.codex() && session.codex()->compressed) {}

  Result<reading::ByteSource> transcript() override {
    HF_TRY(Fd fd, home_.open_file(transcript_));
    if (!compressed_) return reading::file_source(std::move(fd));
    HF_TRY(Fd whole, unpacked(fd));
    return reading::file_source(std::move(whole));
  }

  Result<reading::ByteSource> file(std::string_view path) override {
    if (folder_.empty()) return fail(ErrorKind::not_found, "this session has no folder");
    HF_TRY(Fd fd, home_.open_file(fmt::format("{}/{}", folder_, path)));
    return reading::file_source(std::move(fd));
  }

  Result<std::vector<std::string>> below(std::string_view folder) override {
    std::vector<std::string> found;
    if (!folder_.empty()) HF_CHECK(walk(std::string(folder), kDepth, found));
    return found;
  }

 private:
  Result<void> walk(const std::string& folder, std::size_t depth, std::vector<std::string>& found) const {
    HF_TRY(const auto entries, home_.entries(fmt::format("{}/{}", folder_, folder)));
    for (const Home::Entry& entry : entries) {
      const std::string path = fmt::format("{}/{}", folder, entry.name);
      if (entry.type == DT_REG) found.push_back(path);
      if (entry.type == DT_DIR && depth > 1) HF_CHECK(walk(path, depth - 1, found));
    }
    return {};
  }

  const Home home_;
  const std::string transcript_, folder_;
  const bool compressed_;
};

class FilesKept final : public SessionFiles {
 public:
  FilesKept(session::Blobs& blobs, std::string key) : blobs_(blobs), key_(std::move(key)) {
    if (key_.ends_with(kEnding)) folder_ = key_.substr(0, key_.size() - kEnding.size()) + "/";
  }

  Result<reading::ByteSource> transcript() override { return source(key_); }
  Result<reading::ByteSource> file(std::string_view path) override { return source(folder_ + std::string(path)); }

  Result<std::vector<std::string>> below(std::string_view folder) override {
    std::vector<std::string> found;
    if (folder_.empty()) return found;
    HF_TRY(const auto files, blobs_.files(fmt::format("{}{}/", folder_, folder)));
    for (const session::KeptFile& file : files) found.push_back(file.key.substr(folder_.size()));
    return found;
  }

 private:
  Result<reading::ByteSource> source(const std::string& key) {
    HF_TRY(auto kept, blobs_.file(key));
    if (!kept) return fail(ErrorKind::not_found, fmt::format("the guard has kept no {}", key));
    reading::ByteSource source;
    source.size = kept->size;
    source.incarnation = fmt::format("kept:{}:{}", kept->version, kept->sha256);
    source.read = [&blobs = blobs_, file = *std::move(kept)](std::uint64_t offset, std::span<char> to) {
      return blobs.read(file, offset, to);
    };
    return source;
  }

  session::Blobs& blobs_;
  const std::string key_;
  std::string folder_;  // with the slash; empty: none
};

}  // namespace

std::shared_ptr<SessionFiles> files_on_disk(const Home& home, const AnySession& session) {
  return std::make_shared<FilesOnDisk>(home, session);
}

std::shared_ptr<SessionFiles> files_kept(session::Blobs& blobs, std::string key) {
  return std::make_shared<FilesKept>(blobs, std::move(key));
}

}  // namespace holdfast::transcripts
