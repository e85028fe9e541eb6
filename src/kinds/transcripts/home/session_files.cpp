#include "kinds/transcripts/home/session_files.h"

#include "kinds/transcripts/home/home.h"
#include "kinds/transcripts/products/codex/codex_file_name.h"

#include <fmt/format.h>

#include <dirent.h>

namespace holdfast::transcripts {
namespace {

constexpr std::string_view kEnding = ".jsonl";
constexpr std::size_t kDepth = 4;  // subagents/workflows/wf_…/agent-…

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
    HF_TRY(Fd whole, unpacked(bytes_of_file(fd)));
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
  FilesKept(session::Blobs& blobs, const KeptSession& session, KeptVersion version)
      : blobs_(blobs), newest_(session.transcript), version_(version) {
    if (newest_.key.ends_with(kEnding)) folder_ = newest_.key.substr(0, newest_.key.size() - kEnding.size()) + "/";
  }

  Result<reading::ByteSource> transcript() override {
    HF_TRY(const session::KeptFile file, chosen_version(blobs_, newest_, version_, true));
    reading::ByteSource source = source_of(file);
    if (!newest_.key.ends_with(kCompressedEnding)) return source;
    HF_TRY(Fd whole, unpacked([&source, at = std::uint64_t{0}](char* to, std::size_t room) mutable -> Result<std::size_t> {
             HF_TRY(const std::size_t got, source.read(at, std::span(to, room)));
             at += got;
             return got;
           }));
    return reading::file_source(std::move(whole));
  }

  Result<reading::ByteSource> file(std::string_view path) override {
    const std::string key = folder_ + std::string(path);
    HF_TRY(const auto newest, folder_.empty() ? Result<std::optional<session::KeptFile>>() : blobs_.file(key));
    if (!newest) return fail(ErrorKind::not_found, fmt::format("the guard has kept no {}", path));
    HF_TRY(const session::KeptFile file, chosen_version(blobs_, *newest, version_, false));
    return source_of(file);
  }

  Result<std::vector<std::string>> below(std::string_view folder) override {
    std::vector<std::string> found;
    if (folder_.empty()) return found;
    HF_TRY(const auto files, blobs_.files(fmt::format("{}{}/", folder_, folder)));
    for (const session::KeptFile& file : files) found.push_back(file.key.substr(folder_.size()));
    return found;
  }

 private:
  reading::ByteSource source_of(const session::KeptFile& file) {
    reading::ByteSource source;
    source.size = file.size;
    source.incarnation = fmt::format("kept:{}:{}", file.version, file.sha256);
    source.read = [&blobs = blobs_, file](std::uint64_t offset, std::span<char> to) {
      std::vector<session::Blobs::Gap> lost;  // whoever opened it has been told
      return blobs.read_what_is_left(file, offset, to, lost);
    };
    return source;
  }

  session::Blobs& blobs_;
  const session::KeptFile newest_;
  const KeptVersion version_;
  std::string folder_;  // with the slash; empty: none
};

}  // namespace

std::shared_ptr<SessionFiles> files_on_disk(const Home& home, const AnySession& session) {
  return std::make_shared<FilesOnDisk>(home, session);
}

std::shared_ptr<SessionFiles> files_kept(session::Blobs& blobs, const KeptSession& session, const KeptVersion& version) {
  return std::make_shared<FilesKept>(blobs, session, version);
}

}  // namespace holdfast::transcripts
