#include "kinds/transcripts/home/home.h"

#include "base/files/in_folder.h"
#include "base/files/path_below.h"
#include "base/text/text.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <mutex>

namespace holdfast::transcripts {

std::string shown_path(std::string_view path) {
  if (is_valid_utf8(path)) return std::string(path);
  constexpr std::size_t kLongest = 4;  // bytes of a character
  std::string shown;
  while (!path.empty()) {
    std::size_t length = 1;
    while (length <= kLongest && length <= path.size() && !is_valid_utf8(path.substr(0, length))) ++length;
    if (length > kLongest || length > path.size()) {
      shown += fmt::format("\\x{:02x}", static_cast<unsigned char>(path.front()));
      path.remove_prefix(1);
    } else {
      shown += path.substr(0, length);
      path.remove_prefix(length);
    }
  }
  return shown;
}

namespace {

// A device or a FIFO that a stranger put there must neither block us nor become our terminal.
constexpr int kFileFlags = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;

struct Split {
  std::string area;
  std::string_view rest;  // empty: the area itself
};

// openat2 would let "a/../b" pass as long as it stays inside; a path of ours never has such a part, so somebody else made it.
Result<Split> split(std::string_view path) {
  if (path.empty()) return fail(ErrorKind::invalid, "an empty path");
  if (path.contains('\0')) return fail(ErrorKind::invalid, "a path with a NUL character");
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    const std::string_view part = path.substr(begin, end - begin);
    if (part == "..") return fail(ErrorKind::refused, std::string(path) + ": leads out of the folder");
    if (part.empty() || part == ".") return fail(ErrorKind::invalid, std::string(path) + ": not a path below the folder");
    begin = end + 1;
  }
  const std::size_t slash = path.find('/');
  if (slash == path.npos) return Split{std::string(path), {}};
  return Split{std::string(path.substr(0, slash)), path.substr(slash + 1)};
}

bool is_gone(const Fd& folder) {
  struct stat status{};
  return ::fstat(folder.get(), &status) != 0 || status.st_nlink == 0;
}

std::string without_trailing_slashes(std::string path) {
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  return path;
}

}  // namespace

struct Home::State {
  std::string folder;
  std::mutex mutex;
  std::shared_ptr<const Fd> root;                          // opened on first use
  std::map<std::string, std::shared_ptr<const Fd>> areas;  // likewise; O_PATH

  // A folder that was removed and made again is opened again, so that a Home outlives the staging area's coming and going.
  Result<std::shared_ptr<const Fd>> open_root() {
    if (root && !is_gone(*root)) return root;
    Fd fd(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!fd) return fail(system_error(folder, errno));
    root = std::make_shared<const Fd>(std::move(fd));
    return root;
  }

  Result<std::shared_ptr<const Fd>> open_home() {
    const std::lock_guard lock(mutex);
    return open_root();
  }

  Result<std::shared_ptr<const Fd>> open_area(const std::string& name) {
    const std::lock_guard lock(mutex);
    if (const auto known = areas.find(name); known != areas.end() && !is_gone(*known->second)) return known->second;
    HF_TRY(const auto home, open_root());
    Fd fd(::openat(home->get(), name.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!fd) return fail(system_error(folder + "/" + name, errno));
    return areas[name] = std::make_shared<const Fd>(std::move(fd));
  }

  // A path of one part is the area itself or a file beside the areas; a link there was made by the person whose folder it is.
  Result<Fd> open_path(std::string_view path, int flags) {
    HF_TRY(const Split parts, split(path));
    if (parts.rest.empty()) {
      HF_TRY(const auto home, open_home());
      Fd fd(::openat(home->get(), parts.area.c_str(), flags | O_CLOEXEC));
      if (!fd) return fail(system_error(folder + "/" + parts.area, errno));
      return fd;
    }
    HF_TRY(const auto area, open_area(parts.area));
    auto fd = open_below(*area, parts.rest, flags, 0, Links::refuse);
    if (!fd) return fail(std::move(fd).error().within(folder + "/" + parts.area));
    return fd;
  }
};

Result<Home> Home::open(const std::string& folder) {
  if (!folder.starts_with('/') || folder.contains('\0'))
    return fail(ErrorKind::invalid, "not an absolute path: " + folder, "give the client's folder as an absolute path");
  auto state = std::make_shared<State>();
  state->folder = without_trailing_slashes(folder);
  if (auto root = state->open_home(); !root && root.error().kind != ErrorKind::not_found) return fail(std::move(root).error());
  return Home(std::move(state));
}

std::string Home::claude_folder(const std::optional<std::string>& config_dir, const std::string& home) {
  return to_nfc(config_dir && !config_dir->empty() ? *config_dir : home + "/.claude");
}

std::string Home::codex_folder(const std::optional<std::string>& codex_home, const std::string& home) {
  return codex_home && !codex_home->empty() ? *codex_home : home + "/.codex";
}

const std::string& Home::folder() const {
  return state_->folder;
}

std::string Home::absolute(std::string_view path) const {
  return path.empty() ? state_->folder : (state_->folder == "/" ? "" : state_->folder) + "/" + std::string(path);
}

Result<Fd> Home::open_file(std::string_view path) const {
  const auto not_a_file = [&] { return fail(ErrorKind::invalid, absolute(path) + ": not a regular file"); };
  auto fd = state_->open_path(path, kFileFlags);
  if (!fd) {
    // A socket cannot be opened at all.
    if (fd.error().kind != ErrorKind::io) return fd;
    HF_TRY(const auto status, stat(path));
    if (status && !S_ISREG(status->st_mode)) return not_a_file();
    return fd;
  }
  struct stat status{};
  if (::fstat(fd->get(), &status) != 0) return fail(system_error(absolute(path), errno));
  if (!S_ISREG(status.st_mode)) return not_a_file();
  return fd;
}

Result<Fd> Home::open_folder(std::string_view path) const {
  return state_->open_path(path, kFolderFlags);
}

Result<std::optional<struct stat>> Home::stat(std::string_view path) const {
  const bool top = !path.contains('/');
  auto fd = state_->open_path(path, O_PATH | (top ? 0 : O_NOFOLLOW));
  if (!fd) {
    if (fd.error().kind == ErrorKind::not_found) return std::nullopt;
    return fail(std::move(fd).error());
  }
  struct stat status{};
  if (::fstat(fd->get(), &status) != 0) return fail(system_error(absolute(path), errno));
  return status;
}

Result<std::vector<Home::Entry>> Home::entries(std::string_view path) const {
  auto opened = open_folder(path);
  if (!opened && opened.error().kind == ErrorKind::not_found) return std::vector<Entry>();
  if (!opened) return fail(std::move(opened).error());
  auto names = entries_in(*std::move(opened));
  if (!names) return fail(std::move(names).error().within(absolute(path)));
  std::vector<Entry> found;
  for (auto& [name, type] : *names) found.push_back({std::move(name), type});
  std::ranges::sort(found, {}, &Entry::name);
  return found;
}

}  // namespace holdfast::transcripts
