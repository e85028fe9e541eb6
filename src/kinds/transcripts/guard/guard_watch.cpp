#include "kinds/transcripts/guard/guard_watch.h"

#include <fmt/format.h>

#include <poll.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>

namespace holdfast::transcripts {
namespace {

constexpr std::uint32_t kEvents = IN_CREATE | IN_MODIFY | IN_CLOSE_WRITE | IN_MOVED_TO | IN_DELETE | IN_MOVED_FROM | IN_ONLYDIR;
constexpr std::uint32_t kFoldersMade = IN_CREATE | IN_MOVED_TO | IN_ONLYDIR | IN_MASK_ADD;
constexpr std::size_t kEventBytes = 64 * 1024;
constexpr int kLooks = 3;  // for a home that is being made while one looks

}  // namespace

Result<std::unique_ptr<GuardWatch>> GuardWatch::open(const Homes& homes) {
  Fd queue(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
  if (!queue) {
    return fail(ErrorKind::unavailable, fmt::format("the system gives out no file watcher: {}", std::strerror(errno)),
                "raise fs.inotify.max_user_instances, or run holdfast guard from a timer");
  }
  return std::unique_ptr<GuardWatch>(new GuardWatch(homes, std::move(queue)));
}

bool GuardWatch::watch(Product product, const std::string& folder) {
  const Home& home = home_of(homes_, product);
  int number = -1;
  if (folder.empty()) {
    number = ::inotify_add_watch(queue_.get(), home.folder().c_str(), kEvents);
  } else {
    // Through the descriptor: an area may be a link, and nothing else may.
    const auto opened = home.open_folder(folder);
    if (!opened) return opened.error().kind == ErrorKind::not_found;
    number = ::inotify_add_watch(queue_.get(), fmt::format("/proc/self/fd/{}", opened->get()).c_str(), kEvents);
  }
  if (number < 0) return errno == ENOENT;
  watched_.insert_or_assign(number, Watched{product, folder});
  return true;
}

// The home with all that is in it; while there is none, where it will appear. False: neither can be watched.
bool GuardWatch::watch_home(Product product, std::set<GuardedFile>& found) {
  const std::string& folder = home_of(homes_, product).folder();
  // A folder that appears on the way while it is being looked for is seen by looking again.
  for (int look = 0; look < kLooks; ++look) {
    if (::access(folder.c_str(), F_OK) != 0) {
      if (!watch_above(product)) return false;
      if (::access(folder.c_str(), F_OK) != 0) return true;
    }
    watch(product, {});
    for (const std::string_view area : guarded_areas(product)) watch_below(product, std::string(area), found);
    if (::access(folder.c_str(), F_OK) == 0) break;
  }
  return true;
}

bool GuardWatch::watch_above(Product product) {
  std::filesystem::path above(home_of(homes_, product).folder());
  for (;;) {
    const std::string awaited = above.filename().string();
    if (!above.has_relative_path()) return false;
    above = above.parent_path();
    // One folder has one watch, and both homes may await something there.
    const int number = ::inotify_add_watch(queue_.get(), above.c_str(), kFoldersMade);
    if (number >= 0) {
      awaited_.insert_or_assign({number, product}, awaited);
      return true;
    }
    if (errno != ENOENT) return false;
  }
}

void GuardWatch::watch_below(Product product, const std::string& folder, std::set<GuardedFile>& found) {
  walk_guarded(home_of(homes_, product), product, folder,
               {[&](GuardedFile file) { found.insert(std::move(file)); },
                [&](const std::string& each) { unwatched_ += watch(product, each) ? 0 : 1; },
                {}});
}

void GuardWatch::watch_all() {
  unwatched_ = 0;
  std::set<GuardedFile> ignored;
  for (const Product product : kProducts) unwatched_ += watch_home(product, ignored) ? 0 : 1;
}

Result<void> GuardWatch::take_events(std::set<GuardedFile>& changed, bool& missed) {
  alignas(inotify_event) std::array<char, kEventBytes> buffer;
  for (;;) {
    const ssize_t got = ::read(queue_.get(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EAGAIN) return {};
    if (got <= 0) return fail(system_error("reading what changed", errno));
    for (std::size_t at = 0; at < static_cast<std::size_t>(got);) {
      inotify_event event;
      std::memcpy(&event, buffer.data() + at, sizeof event);
      const std::string name = event.len > 0 ? buffer.data() + at + sizeof event : "";
      at += sizeof event + event.len;
      if ((event.mask & IN_Q_OVERFLOW) != 0) missed = true;
      for (const Product product : kProducts) {
        const auto awaited = awaited_.find({event.wd, product});
        if (awaited == awaited_.end() || (name != awaited->second && (event.mask & IN_IGNORED) == 0)) continue;
        awaited_.erase(awaited);
        watch_home(product, changed);
      }
      const auto found = watched_.find(event.wd);
      if (found == watched_.end()) continue;
      if ((event.mask & IN_IGNORED) != 0) {
        watched_.erase(found);
        continue;
      }
      if (name.empty()) continue;
      const auto [product, folder] = found->second;  // copied: watching more moves the table
      std::string path = folder.empty() ? name : folder + "/" + name;
      // An area may be a link to a folder, which is no folder to inotify.
      const bool area = folder.empty() && may_hold_guarded(product, path);
      if ((event.mask & IN_ISDIR) != 0 || area) {
        // What was written in it before it was watched, too.
        if (may_hold_guarded(product, path)) watch_below(product, path, changed);
        continue;
      }
      GuardedFile file{product, std::move(path)};
      if (is_guarded(file)) changed.insert(std::move(file));
    }
  }
}

Result<GuardWatch::News> GuardWatch::wait(std::chrono::milliseconds at_most, int stop) {
  using Time = std::chrono::steady_clock;
  const auto deadline = Time::now() + at_most;
  std::set<GuardedFile> changed;
  News news;
  std::optional<Time::time_point> first;
  for (;;) {
    auto until = deadline;
    if (first) until = std::min(Time::now() + kQuiet, *first + kLongest);
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Time::now()).count();
    std::array<pollfd, 2> ready = {pollfd{queue_.get(), POLLIN, 0}, pollfd{stop, POLLIN, 0}};
    const int count = ::poll(ready.data(), ready.size(), static_cast<int>(std::max<std::int64_t>(left, 0)));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return fail(system_error("waiting for changes", errno));
    if (ready[1].revents != 0) news.stopped = true;
    if (count > 0 && ready[0].revents != 0) HF_CHECK(take_events(changed, news.all));
    if (!first && (!changed.empty() || news.all)) first = Time::now();
    if (news.stopped || count == 0 || (first && Time::now() - *first >= kLongest)) break;
  }
  news.files.assign(changed.begin(), changed.end());
  return news;
}

}  // namespace holdfast::transcripts
