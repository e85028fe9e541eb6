#include "kinds/transcripts/guard/kept_home.h"

#include "base/files/file.h"
#include "base/ids.h"
#include "kinds/transcripts/verbs/restore.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

namespace holdfast::transcripts {
namespace {

constexpr std::string_view kKeptFolderBegin = "kept-";
constexpr std::size_t kCopyPieceBytes = 1024 * 1024;

// "kept-<pid>-<uuid>": those of processes that are no more.
void remove_left_behind(const std::string& folder) {
  std::error_code error;
  std::vector<std::filesystem::path> dead;
  for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (!name.starts_with(kKeptFolderBegin)) continue;
    const long pid = std::strtol(name.c_str() + kKeptFolderBegin.size(), nullptr, 10);
    if (pid <= 0 || (::kill(static_cast<pid_t>(pid), 0) != 0 && errno == ESRCH)) dead.push_back(at->path());
  }
  for (const auto& path : dead) std::filesystem::remove_all(path, error);
}

}  // namespace

Result<KeptHome> KeptHome::make(const std::string& folder, session::Blobs* blobs) {
  remove_left_behind(folder);
  const std::string path = fmt::format("{}/{}{}-{}", folder, kKeptFolderBegin, ::getpid(), make_uuid7());
  HF_CHECK(make_private_folder(path + "/claude"));
  HF_CHECK(make_private_folder(path + "/codex"));
  HF_TRY(Homes homes, Homes::open(path + "/claude", path + "/codex"));
  return KeptHome(path, std::move(homes), blobs);
}

KeptHome::KeptHome(KeptHome&& other) noexcept
    : folder_(std::exchange(other.folder_, {})),
      homes_(std::move(other.homes_)),
      blobs_(other.blobs_),
      left_out_(std::move(other.left_out_)) {}

KeptHome::~KeptHome() {
  std::error_code ignored;
  if (!folder_.empty()) std::filesystem::remove_all(folder_, ignored);
}

Result<Fd> KeptHome::make_file(const session::KeptFile& file) const {
  const auto named = file_of_key(file.key);
  if (!named || !is_guarded(*named)) return fail(ErrorKind::corrupt, file.key + ": not a file of a session");
  const Home& home = home_of(homes_, named->product);
  HF_CHECK(home.make_folders(named->path.substr(0, named->path.rfind('/'))));
  return home.open_with(named->path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
}

Result<void> KeptHome::copy_part(const session::KeptFile& file, int to, std::uint64_t begin, std::uint64_t end) const {
  std::string piece(kCopyPieceBytes, '\0');
  while (begin < end) {
    const std::size_t wanted = static_cast<std::size_t>(std::min<std::uint64_t>(piece.size(), end - begin));
    HF_TRY(const std::size_t got, blobs_->read(file, begin, std::span(piece).first(wanted)));
    if (got == 0) return fail(ErrorKind::corrupt, fmt::format("{}: the guard has only {} of {} bytes", file.key, begin, end));
    if (::lseek(to, static_cast<off_t>(begin), SEEK_SET) < 0) return fail(system_error("seeking", errno));
    HF_CHECK(write_all(to, std::string_view(piece).substr(0, got)));
    begin += got;
  }
  return {};
}

Result<void> KeptHome::copy(const session::KeptFile& file, std::uint64_t& done, std::uint64_t total,
                            const Progress& progress) const {
  HF_TRY(const Fd to, make_file(file));
  for (std::uint64_t at = 0; at < file.size; at += kCopyPieceBytes) {
    HF_CHECK(copy_part(file, to.get(), at, std::min<std::uint64_t>(file.size, at + kCopyPieceBytes)));
    done += std::min<std::uint64_t>(file.size - at, kCopyPieceBytes);
    if (progress && !progress("reading the guard", done, total)) return fail(ErrorKind::cancelled, "stopped");
  }
  const timespec time{file.modified_at / 1000, file.modified_at % 1000 * 1'000'000};
  const timespec times[] = {time, time};
  if (::fchmod(to.get(), file.mode & 0777) != 0 || ::futimens(to.get(), times) != 0) {
    return fail(system_error("mode and time of " + file.key, errno));
  }
  return {};
}

Result<AnySession> KeptHome::lay_out(const KeptSession& session, const KeptVersion& version, const Progress& progress) {
  HF_TRY(const std::vector<session::KeptFile> files, files_of(*blobs_, session, version));
  std::uint64_t total = 0, done = 0;
  for (const session::KeptFile& file : files) total += file.size;
  for (const session::KeptFile& file : files) {
    auto copied = copy(file, done, total, progress);
    if (copied) continue;
    if (copied.error().kind != ErrorKind::corrupt) return fail(std::move(copied).error());
    if (file.key == session.transcript.key)
      return fail(ErrorKind::corrupt, copied.error().message,
                  fmt::format("holdfast export {} shows what is left of it; holdfast guard cat --partial prints it", session.id));
    left_out_.push_back(fmt::format("{}: damaged in the guard", file.key));
    if (::unlink(path_of(file).c_str()) != 0) return fail(system_error("removing " + file.key, errno));
  }
  return homes_.find(session.id);
}

Result<AnySession> KeptHome::lay_out(const KeptBackup& backup, Millis now, const Progress& progress) {
  Fd file(::open(backup.path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return fail(system_error(backup.path, errno));
  HF_TRY(ArchiveReader archive, ArchiveReader::open(std::move(file)));
  if (archive.header().product == "codex") {
    HF_CHECK(restore_codex(homes_.codex, archive, true, {}, now, progress));
  } else {
    RestoreOptions options;
    options.in_place = true;
    options.session_env = SessionEnv::always;  // nothing runs it here, and a copy is to have it
    HF_CHECK(restore_session(homes_.claude, archive, options, now, progress));
  }
  HF_TRY(const AnySession session, homes_.find(backup.session_id));
  const timespec time{backup.made_at / 1000, backup.made_at % 1000 * 1'000'000};
  const timespec times[] = {time, time};
  const std::string path = homes_.of(session).absolute(session.path());
  if (::utimensat(AT_FDCWD, path.c_str(), times, 0) != 0) return fail(system_error(path, errno));
  return homes_.find(backup.session_id);
}

std::string KeptHome::path_of(const session::KeptFile& file) const {
  const GuardedFile named = file_of_key(file.key).value_or(GuardedFile{});
  return home_of(homes_, named.product).absolute(named.path);
}

Result<SessionLine> KeptHome::line_of(const KeptSession& session) {
  const session::KeptFile& file = session.transcript;
  {
    HF_TRY(const Fd to, make_file(file));
    // A compressed one is read as a whole.
    const bool whole = file.key.ends_with(".zst") || file.size <= 2 * kSummaryBytes;
    HF_CHECK(copy_part(file, to.get(), 0, whole ? file.size : kSummaryBytes));
    if (!whole) HF_CHECK(copy_part(file, to.get(), file.size - kSummaryBytes, file.size));
    const timespec time{file.modified_at / 1000, file.modified_at % 1000 * 1'000'000};
    const timespec times[] = {time, time};
    if (::futimens(to.get(), times) != 0) return fail(system_error("time of " + file.key, errno));
  }
  auto line = [&]() -> Result<SessionLine> {
    HF_TRY(const AnySession found, homes_.find(session.id));
    return homes_.line_of(found);
  }();
  // The next one is looked for in a home without it.
  if (::unlink(path_of(file).c_str()) != 0) return fail(system_error("removing " + file.key, errno));
  return line;
}

}  // namespace holdfast::transcripts
