#include "store/sqlite/commit_watch.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/inotify.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>

namespace holdfast::store {

Result<void> CommitWatch::begin() {
  Fd notices(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
  if (!notices) return fail(system_error("inotify_init1", errno));
  const std::string folder = std::filesystem::path(context_.path).parent_path().string();
  if (::inotify_add_watch(notices.get(), folder.empty() ? "." : folder.c_str(), IN_ATTRIB | IN_DELETE | IN_MOVED_FROM) < 0) {
    return fail(system_error("watching " + folder, errno));
  }
  notices_ = std::move(notices);
  return {};
}

// A commit says nothing of what is in it: everybody looks.
EventSource::Heard CommitWatch::wait(const Fd& stop) {
  while (true) {
    std::array<pollfd, 2> fds{{{notices_.get(), POLLIN, 0}, {stop.get(), POLLIN, 0}}};
    if (::poll(fds.data(), fds.size(), -1) < 0 && errno != EINTR) return {.stop = true, .events = false, .wake = false};
    if (fds[1].revents != 0) return {.stop = true, .events = false, .wake = false};
    if (take_notices()) return {.stop = false, .events = true, .wake = true};
  }
}

bool CommitWatch::take_notices() {
  const std::string log_name = std::filesystem::path(context_.path).filename().string() + "-wal";
  alignas(inotify_event) std::array<char, 8192> buffer{};
  bool news = false;
  while (true) {
    const ssize_t size = ::read(notices_.get(), buffer.data(), buffer.size());
    if (size <= 0) return news;
    for (ssize_t at = 0; at < size;) {
      inotify_event event{};
      std::memcpy(&event, buffer.data() + at, sizeof event);
      const char* name = buffer.data() + at + sizeof event;
      const bool log = event.len > 0 && log_name == name;
      if (log && (event.mask & (IN_DELETE | IN_MOVED_FROM)) != 0) on_log_gone_();
      if (log || (event.mask & IN_Q_OVERFLOW) != 0) news = true;
      at += static_cast<ssize_t>(sizeof event + event.len);
    }
  }
}

Result<std::vector<session::Event>> CommitWatch::events_after(std::int64_t sequence, std::size_t limit) {
  return readers_.with([&](Db& db) { return read_events_after(db, sequence, limit); });
}

Result<std::int64_t> CommitWatch::last_sequence() {
  return readers_.with([](Db& db) { return read_last_sequence(db); });
}

void CommitWatch::announce() const {
  const std::string log_file = context_.path + "-wal";
  static_cast<void>(::utimensat(AT_FDCWD, log_file.c_str(), nullptr, 0));
}

}  // namespace holdfast::store
