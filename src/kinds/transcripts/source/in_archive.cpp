// The members of an archive as the bytes of a session (session_source.h).

#include "base/files/file.h"
#include "base/files/new_file.h"
#include "kinds/transcripts/archive/archive_reader.h"
#include "kinds/transcripts/source/session_source.h"
#include "kinds/transcripts/verbs/backup.h"

#include <fmt/format.h>

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <map>

namespace holdfast::transcripts {
namespace {

struct UnpackedMember {
  Artifact artifact;
  std::uint64_t from = 0, size = 0;
};
using UnpackedMembers = std::map<std::string, UnpackedMember, std::less<>>;

// All members, one behind the other, into one file.
class Unpacking final : public Receiver {
 public:
  Unpacking(int out, UnpackedMembers& members) : out_(out), members_(members) {}

  Result<void> begin(const Artifact& artifact) override {
    member_ = {artifact, at_, 0};
    return {};
  }
  bool judges_lines() const override { return true; }
  Result<void> line(const Piece& piece) override {
    HF_CHECK(bytes(piece.text));
    return bytes(piece.ending);
  }
  Result<void> bytes(std::string_view bytes) override {
    at_ += bytes.size();
    buffer_ += bytes;
    return buffer_.size() < jsonl::kWriteBytes ? Result<void>{} : flush();
  }
  Result<void> end() override {
    member_.size = at_ - member_.from;
    members_.insert_or_assign(member_.artifact.path, member_);
    return flush();
  }

 private:
  Result<void> flush() {
    HF_CHECK(write_all(out_, buffer_));
    buffer_.clear();
    return {};
  }

  const int out_;
  UnpackedMembers& members_;
  UnpackedMember member_;
  std::uint64_t at_ = 0;
  std::string buffer_;
};

AnySession session_in(const ArchiveReader& archive, const Inventory& contents) {
  const ArchiveHeader& header = archive.header();
  const Millis archived_at = parse_time(header.archived_at).value_or(0);
  const std::uint64_t size = contents.artifacts.empty() ? 0 : contents.artifacts.front().size;
  if (header.product != "codex") return {FoundSession{contents.place, size, archived_at}};
  CodexSession session;
  session.id = header.session_id;
  if (!contents.artifacts.empty()) session.path = contents.artifacts.front().path;
  session.size = size;
  session.mtime = archived_at;
  return {session};
}

class SourceInArchive final : public SessionSource {
 public:
  SourceInArchive(AnySession session, std::string name, ArchiveReader archive, Inventory contents, Fd file, std::string folder)
      : SessionSource(std::move(session), std::move(name), false),
        archive_(std::move(archive)),
        contents_(std::move(contents)),
        file_(std::move(file)),
        folder_(std::move(folder)) {}

  Result<Inventory> inventory(const Progress&) override { return contents_; }

  Result<void> read(std::span<const Artifact>, Receiver& receiver, const Progress& progress) override {
    HF_CHECK(archive_.read(receiver, progress));
    return {};
  }

  Result<Bytes> stored(const std::string& path) override {
    if (!unpacked_) HF_CHECK(unpack());
    const auto found = members_.find(path);
    if (found == members_.end()) return fail(ErrorKind::not_found, fmt::format("{} holds no {}", name(), path));
    const UnpackedMember& member = found->second;
    Bytes bytes;
    bytes.size = member.size;
    bytes.incarnation = incarnation_;
    bytes.mode = member.artifact.mode;
    bytes.mtime = member.artifact.mtime;
    bytes.read = [read = unpacked_->read, from = member.from, size = member.size](std::uint64_t offset, std::span<char> to) {
      const std::uint64_t rest = offset < size ? size - offset : 0;
      return read(from + offset, to.first(static_cast<std::size_t>(std::min<std::uint64_t>(to.size(), rest))));
    };
    return bytes;
  }

  Result<std::vector<std::string>> below(const std::string& folder) override {
    std::vector<std::string> found;
    for (const Artifact& artifact : contents_.artifacts)
      if (artifact.path.starts_with(folder + "/")) found.push_back(artifact.path);
    std::ranges::sort(found);
    return found;
  }

  bool is_ours() const override { return false; }
  Result<ArchiveHeader> header() override { return archive_.header(); }
  Result<std::string> hash() const override { return hash_of_archive(file_.get()); }
  std::vector<std::string> warnings() const override { return archive_.warnings(); }
  Result<Remarks> remarks() override { return Remarks{{"kept", "in a backup of " + iso8601(session().mtime())}}; }

 private:
  Result<void> unpack() {
    HF_TRY(Fd out, make_temporary(folder_));
    Unpacking unpacking(out.get(), members_);
    HF_CHECK(archive_.read(unpacking));
    struct stat status{};
    if (::fstat(file_.get(), &status) != 0) return fail(system_error(name(), errno));
    incarnation_ = fmt::format("archive:{}:{}:{}", status.st_dev, status.st_ino, mtime_of(status));
    HF_TRY(unpacked_, reading::file_source(std::move(out)));
    return {};
  }

  ArchiveReader archive_;
  const Inventory contents_;
  const Fd file_;
  const std::string folder_;
  UnpackedMembers members_;
  std::optional<reading::ByteSource> unpacked_;
  std::string incarnation_;
};

}  // namespace

Result<std::unique_ptr<SessionSource>> source_in_archive(Fd file, std::string name, std::string folder) {
  Fd same(::fcntl(file.get(), F_DUPFD_CLOEXEC, 0));
  if (!same) return fail(system_error("open the archive again", errno));
  HF_TRY(ArchiveReader archive, ArchiveReader::open(std::move(file)));
  HF_TRY(Inventory contents, archive.contents());
  AnySession session = session_in(archive, contents);
  return std::make_unique<SourceInArchive>(std::move(session), std::move(name), std::move(archive), std::move(contents),
                                           std::move(same), std::move(folder));
}

}  // namespace holdfast::transcripts
