#include "kinds/transcripts/passages/file_watch.h"

#include "base/run/log.h"
#include "kinds/transcripts/guard/guard_watch.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <linux/magic.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/vfs.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <set>

namespace holdfast::transcripts {

namespace {

// What slips through the watching is found by whoever loads a page; folders are looked for again now and then.
constexpr std::chrono::minutes kLookAgain{15};

void follow(GuardWatch& watch, int stop, const TranscriptWatch::Changed& changed) {
  for (;;) {
    const auto news = watch.wait(kLookAgain, stop);
    if (!news) {
      log(LogLevel::warn, "transcripts", "changes of transcripts are no longer seen: " + news.error().message);
      return;
    }
    if (news->stopped) return;
    if (news->all || news->files.empty()) watch.watch_all();
    if (news->all) changed({});
    std::set<std::string> ids;
    for (const GuardedFile& file : news->files)
      if (std::string id = session_in_path(file); !id.empty()) ids.insert(std::move(id));
    for (const std::string& id : ids) changed(id);
  }
}

}  // namespace

Result<std::unique_ptr<TranscriptWatch>> TranscriptWatch::start(const Homes& homes, Changed changed) {
  Fd stop(::eventfd(0, EFD_CLOEXEC));
  if (!stop) return fail(system_error("eventfd", errno));
  HF_TRY(auto watch, GuardWatch::open(homes));
  watch->watch_all();
  std::unique_ptr<TranscriptWatch> made(new TranscriptWatch(std::move(stop)));
  made->thread_ = std::jthread([watch = std::move(watch), stop_fd = made->stop_.get(), changed = std::move(changed)] {
    follow(*watch, stop_fd, changed);
  });
  return made;
}

TranscriptWatch::~TranscriptWatch() {
  static_cast<void>(::eventfd_write(stop_.get(), 1));
}

namespace {

// Added to what is asked for already: two names may lead to one file.
constexpr std::uint32_t kOfFolders =
    IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR | IN_MASK_ADD;
constexpr std::uint32_t kOfFiles =
    IN_MODIFY | IN_CLOSE_WRITE | IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF | IN_DONT_FOLLOW | IN_MASK_ADD;
constexpr std::uint32_t kEnds = IN_DELETE_SELF | IN_MOVE_SELF | IN_UNMOUNT | IN_IGNORED;
constexpr std::size_t kBufferBytes = 64 * 1024;
constexpr std::size_t kShare = 16;
constexpr std::size_t kLeastGranted = 8192;  // where the system does not say, as old ones have it
constexpr unsigned kXfs = 0x58465342;        // linux/magic.h has it in newer versions only

// Where everybody who writes does so through this kernel, and to these very files: not so on network file systems, on FUSE, and
// on overlays, which may copy a file when it is first written to.
bool tells_of_every_write(const Fd& folder) {
  struct statfs status{};
  if (::fstatfs(folder.get(), &status) != 0) return false;
  switch (static_cast<unsigned>(status.f_type)) {
    case EXT4_SUPER_MAGIC:
    case BTRFS_SUPER_MAGIC:
    case TMPFS_MAGIC:
    case kXfs:
      return true;
    default:
      return false;
  }
}

}  // namespace

std::size_t FileWatch::fair_share() {
  std::size_t granted = kLeastGranted;
  std::ifstream("/proc/sys/fs/inotify/max_user_watches") >> granted;
  return granted / kShare;
}

std::unique_ptr<FileWatch> FileWatch::open(std::size_t most_watches) {
  Fd mounts(::open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC));
  Fd queue(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
  if (!queue || !mounts) return nullptr;
  return std::unique_ptr<FileWatch>(new FileWatch(std::move(queue), std::move(mounts), most_watches));
}

int FileWatch::add(const std::string& path, std::uint32_t events) {
  if (users_.size() >= most_) {
    exhausted_ = true;
    return -1;
  }
  const int number = ::inotify_add_watch(queue_.get(), path.c_str(), events);
  if (number >= 0)
    ++users_[number];
  else if (errno == ENOSPC || errno == ENOMEM)
    exhausted_ = true;
  return number;
}

int FileWatch::add_folder(const Fd& folder) {
  if (!tells_of_every_write(folder)) return -1;
  // The folder that is open, whatever its name means by now.
  return add(fmt::format("/proc/self/fd/{}", folder.get()), kOfFolders);
}

int FileWatch::add_file(const Fd& folder, const std::string& path) {
  return add(fmt::format("/proc/self/fd/{}/{}", folder.get(), path), kOfFiles);
}

void FileWatch::drop(int number) {
  const auto known = users_.find(number);
  if (known == users_.end() || --known->second > 0) return;
  users_.erase(known);
  ::inotify_rm_watch(queue_.get(), number);
}

// The kernel says so once to each who holds the table of mounts open.
bool FileWatch::mounts_have_changed() {
  pollfd mounts{mounts_.get(), POLLPRI, 0};
  return ::poll(&mounts, 1, 0) != 0 && (mounts.revents & (POLLPRI | POLLERR)) != 0;
}

bool FileWatch::take(std::vector<Event>& events) {
  bool all_known = !mounts_have_changed();
  // What is in the queue now is all that happened before; a busy writer must not keep us reading.
  int waiting = 0;
  if (::ioctl(queue_.get(), FIONREAD, &waiting) != 0) return false;
  buffer_.resize(kBufferBytes);
  for (std::size_t taken = 0; taken < static_cast<std::size_t>(waiting);) {
    const ssize_t got = ::read(queue_.get(), buffer_.data(), buffer_.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    taken += static_cast<std::size_t>(got);
    for (std::size_t at = 0; at < static_cast<std::size_t>(got);) {
      inotify_event event{};
      std::memcpy(&event, buffer_.data() + at, sizeof event);
      const char* name = buffer_.data() + at + sizeof event;
      at += sizeof event + event.len;
      if ((event.mask & IN_Q_OVERFLOW) != 0) all_known = false;
      if ((event.mask & IN_IGNORED) != 0) users_.erase(event.wd);
      Event& told = events.emplace_back();
      told.number = event.wd;
      if (event.len > 0) told.name = name;
      told.written = (event.mask & IN_MODIFY) != 0;
      told.closed = (event.mask & IN_CLOSE_WRITE) != 0;
      told.ended = (event.mask & kEnds) != 0;
    }
  }
  return all_known;
}

}  // namespace holdfast::transcripts
