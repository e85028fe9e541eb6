#include "kinds/transcripts/home/home.h"

#include "base/files/file.h"
#include "base/files/in_folder.h"
#include "base/files/new_file.h"
#include "base/files/path_below.h"
#include "base/text/text.h"
#include "jsonl/limits.h"
#include "kinds/transcripts/products/codex/codex_file_name.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <map>
#include <mutex>

namespace holdfast::transcripts {

Result<Fd> unpacked(ZstdReader::Source packed) {
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::temp_directory_path(error);
  if (error) return fail(system_error("the folder for temporary files", error.value()));
  HF_TRY(Fd file, make_temporary(folder.string()));
  HF_TRY(auto reader, ZstdReader::make(std::move(packed)));
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

ZstdReader::Source bytes_of_file(const Fd& file) {
  return [&file](char* to, std::size_t room) -> Result<std::size_t> {
    for (;;) {
      const ssize_t got = ::read(file.get(), to, room);
      if (got >= 0) return static_cast<std::size_t>(got);
      if (errno != EINTR) return fail(system_error("reading a compressed transcript", errno));
    }
  };
}

Result<Fd> open_plain(const Home& home, const std::string& path) {
  auto plain = home.open_file(path);
  const auto rollout = codex_file_of(path);
  if (plain || plain.error().kind != ErrorKind::not_found || !rollout || rollout->compressed) return plain;
  const auto packed = home.open_file(path + ".zst");
  if (!packed) return plain;
  HF_TRY(Fd whole, unpacked(bytes_of_file(*packed)));
  if (::lseek(whole.get(), 0, SEEK_SET) != 0) return fail(system_error(path, errno));
  return whole;
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
  Result<Fd> open_path(std::string_view path, int flags, mode_t mode) {
    HF_TRY(const Split parts, split(path));
    if (parts.rest.empty()) {
      HF_TRY(const auto home, open_home());
      const int links = (flags & O_CREAT) != 0 ? O_NOFOLLOW : 0;
      Fd fd(::openat(home->get(), parts.area.c_str(), flags | links | O_CLOEXEC, mode));
      if (!fd) return fail(system_error(folder + "/" + parts.area, errno));
      return fd;
    }
    HF_TRY(const auto area, open_area(parts.area));
    auto fd = open_below(*area, parts.rest, flags, mode, Links::refuse);
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
  auto fd = state_->open_path(path, kFileFlags, 0);
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
  return state_->open_path(path, kFolderFlags, 0);
}

Result<Fd> Home::open_with(std::string_view path, int flags, mode_t mode) const {
  return state_->open_path(path, flags, mode);
}

Result<std::optional<struct stat>> Home::stat(std::string_view path) const {
  const bool top = !path.contains('/');
  auto fd = state_->open_path(path, O_PATH | (top ? 0 : O_NOFOLLOW), 0);
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

Result<void> Home::make_folders(std::string_view path) const {
  HF_CHECK(make_private_folder(state_->folder));
  if (path.empty()) return {};
  HF_CHECK(split(path));
  for (std::size_t end = 0; end < path.size();) {
    end = std::min(path.find('/', end + 1), path.size());
    HF_TRY(const Place place, place_of(path.substr(0, end)));
    if (::mkdirat(place.folder.get(), place.name.c_str(), 0700) == 0) continue;
    if (errno != EEXIST) return fail(system_error(absolute(path.substr(0, end)), errno));
  }
  // Something else may have had the name.
  HF_CHECK(open_folder(path));
  return {};
}

Result<Home::Place> Home::place_of(std::string_view path) const {
  HF_CHECK(split(path));
  const std::size_t slash = path.rfind('/');
  if (slash != path.npos) {
    HF_TRY(Fd folder, open_folder(path.substr(0, slash)));
    return Place{std::move(folder), std::string(path.substr(slash + 1))};
  }
  HF_TRY(const auto home, state_->open_home());
  Fd folder(::openat(home->get(), ".", kFolderFlags));
  if (!folder) return fail(system_error(state_->folder, errno));
  return Place{std::move(folder), std::string(path)};
}

}  // namespace holdfast::transcripts
