#include "kinds/transcripts/home/listed_area.h"

#include "base/files/in_folder.h"
#include "base/files/path_below.h"
#include "base/run/clock.h"
#include "kinds/transcripts/home/inventory.h"

#include <fmt/format.h>

#include <dirent.h>
#include <fcntl.h>

#include <algorithm>
#include <cerrno>

namespace holdfast::transcripts {
namespace {

// A name that comes within the grain of a file system's clock does not change the time of its folder again; the coarsest have
// two seconds.
constexpr Millis kSettled = 3000;

std::uint64_t nanoseconds(const struct timespec& time) {
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(time.tv_nsec);
}

ListedFile::State state_of(const struct stat& status) {
  return {status.st_ino, static_cast<std::uint64_t>(status.st_size), nanoseconds(status.st_mtim)};
}

std::string below(const std::string& folder, std::string_view name) {
  return folder.empty() ? std::string(name) : fmt::format("{}/{}", folder, name);
}

std::string_view folder_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == path.npos ? std::string_view() : path.substr(0, slash);
}

// Whatever watches tell comes when this changes; anything else (no descriptors left, a disk that fails) may pass by itself.
bool is_told_of(ErrorKind kind) {
  return kind == ErrorKind::not_found || kind == ErrorKind::refused;
}

}  // namespace

Result<void> ListedArea::look_at_all(FileWatch* watch) {
  cannot_be_kept_ = all_anew_ = false;
  named_.clear();
  written_.clear();
  HF_TRY(const bool there, open_area(watch));
  if (!there) return {};
  folders_.try_emplace("");
  HF_CHECK(look_below("", watch));
  for (auto& [path, file] : files_) look_at_file(path, file, watch);
  return {};
}

void ListedArea::note(const FileWatch::Event& event) {
  const auto [begin, end] = watched_.equal_range(event.number);
  for (auto at = begin; at != end; ++at) {
    const auto& [path, folder] = at->second;
    if (folder) {
      if (event.name.empty() && path.empty())
        all_anew_ = true;
      else
        named_.insert(event.name.empty() ? path : below(path, event.name));
      continue;
    }
    // A watch that ended has to be another one.
    (event.ended ? named_ : written_).insert(path);
    if (event.written) open_.insert(path);
    if (event.closed) open_.erase(path);
  }
}

Result<void> ListedArea::correct(FileWatch& watch) {
  HF_TRY(const bool there, open_area(&watch));
  if (!there) return {};
  if (all_anew_ || folders_.empty()) {
    forget(&watch);
    return look_at_all(&watch);
  }
  const auto named = std::exchange(named_, {});
  for (const std::string& path : named) HF_CHECK(look_at_name(path, watch));
  written_.insert(open_.begin(), open_.end());
  written_.insert(looked_at_always_.begin(), looked_at_always_.end());
  for (const std::string& path : std::exchange(written_, {})) {
    const auto known = files_.find(path);
    if (known != files_.end()) {
      look_at_file(path, known->second, &watch);
    } else {
      open_.erase(path);
      looked_at_always_.erase(path);
    }
  }
  return {};
}

void ListedArea::stop_watching() {
  for (auto& each : folders_) each.second.watch = -1;
  for (auto& each : files_) each.second.watch = -1;
  watched_.clear();
  open_.clear();
  looked_at_always_.clear();
}

void ListedArea::forget(FileWatch* watch) {
  if (watch)
    for (const auto& each : watched_) watch->drop(each.first);
  changed_ = changed_ || !files_.empty();
  area_ = Fd();
  folders_.clear();
  files_.clear();
  watched_.clear();
  all_anew_ = false;
  named_.clear();
  written_.clear();
  open_.clear();
  looked_at_always_.clear();
}

// Whether there is one. Another folder under its name than before: what was known of that one is forgotten.
Result<bool> ListedArea::open_area(FileWatch* watch) {
  HF_TRY(const auto status, home_.stat(name_));
  const bool there = status && S_ISDIR(status->st_mode);
  if (there && area_ && status->st_ino == inode_ && status->st_dev == device_) return true;
  forget(watch);
  if (!there) return false;
  auto opened = home_.open_folder(name_);
  if (!opened && opened.error().kind == ErrorKind::not_found) return false;
  if (!opened) return fail(std::move(opened).error());
  struct stat opened_status{};
  if (::fstat(opened->get(), &opened_status) != 0) return fail(system_error(home_.absolute(name_), errno));
  area_ = *std::move(opened);
  device_ = opened_status.st_dev;
  inode_ = opened_status.st_ino;
  return true;
}

// The folder and those below it, also those that are found on the way: they come behind it in the table.
Result<void> ListedArea::look_below(const std::string& path, FileWatch* watch) {
  HF_CHECK(look_into(path, watch));
  const std::string prefix = path.empty() ? "" : path + "/";
  for (auto at = path.empty() ? folders_.upper_bound("") : folders_.lower_bound(prefix);
       at != folders_.end() && at->first.starts_with(prefix);) {
    const std::string each = at->first;  // it may go
    HF_CHECK(look_into(each, watch));
    at = folders_.upper_bound(each);
  }
  return {};
}

bool ListedArea::status_of(const std::string& path, struct stat& status) {
  if (::fstatat(area_.get(), path.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0) return true;
  cannot_be_kept_ = cannot_be_kept_ || !is_told_of(system_error("", errno).kind);
  return false;
}

Result<Fd> ListedArea::open_folder(const std::string& path) const {
  if (!path.empty()) return open_below(area_, path, kFolderFlags, 0, Links::refuse);
  Fd again(::openat(area_.get(), ".", kFolderFlags));
  if (!again) return fail(system_error(name_, errno));
  return again;
}

Result<void> ListedArea::look_into(const std::string& path, FileWatch* watch) {
  Folder& known = folders_[path];
  struct stat status{};
  // A link in the middle of the path leads to another folder than the known one. Whatever is found here is opened with care.
  if (known.settled && (!watch || known.watch >= 0) && status_of(path.empty() ? "." : path, status) && S_ISDIR(status.st_mode) &&
      status.st_dev == known.device && status.st_ino == known.inode && nanoseconds(status.st_mtim) == known.modified)
    return {};
  auto folder = open_folder(path);
  if (folder && ::fstat(folder->get(), &status) != 0) folder = fail(system_error(path, errno));
  if (!folder) {
    if (path.empty() || (complete_ && folder.error().kind != ErrorKind::not_found))
      return fail(std::move(folder).error().within(home_.absolute(name_)));
    // It has gone, or may not be read; the others can be found all the same.
    cannot_be_kept_ = cannot_be_kept_ || !is_told_of(folder.error().kind);
    drop(path, watch);
    return {};
  }
  if (watch && (known.watch < 0 || known.inode != status.st_ino || known.device != status.st_dev)) {
    unwatch(known.watch, path, watch);
    // Before its names are read, so that none falls between.
    known.watch = watch->add_folder(*folder);
    if (known.watch >= 0)
      watched_.emplace(known.watch, Watched{path, true});
    else
      cannot_be_kept_ = true;
    if (::fstat(folder->get(), &status) != 0) cannot_be_kept_ = true;
  }
  known.device = status.st_dev;
  known.inode = status.st_ino;
  known.modified = nanoseconds(status.st_mtim);
  known.settled = mtime_of(status) + kSettled < SystemClock().now();
  auto names = read_names(path, *std::move(folder));
  if (!names && (complete_ || path.empty())) return fail(std::move(names).error());
  if (!names) {
    cannot_be_kept_ = true;
    drop(path, watch);
    return {};
  }
  // Those that have gone go first: what was a file may be a folder now.
  const std::string prefix = path.empty() ? "" : path + "/";
  std::vector<std::string> gone;
  const auto find_gone = [&](const auto& known_names, const auto& there) {
    for (auto at = known_names.lower_bound(prefix); at != known_names.end() && at->first.starts_with(prefix); ++at)
      if (at->first != path && !at->first.substr(prefix.size()).contains('/') && !there.contains(at->first))
        gone.push_back(at->first);
  };
  find_gone(folders_, names->folders);
  find_gone(files_, names->files);
  for (const std::string& each : gone) drop(each, watch);
  for (const std::string& each : names->folders) folders_.try_emplace(each);
  for (auto& [each, file] : names->files) files_.try_emplace(each, std::move(file));
  return {};
}

Result<ListedArea::Names> ListedArea::read_names(const std::string& path, Fd folder) {
  auto entries = entries_in(std::move(folder));
  if (!entries) return fail(std::move(entries).error().within(path));
  Names names;
  for (const auto& [name, type] : *entries) {
    std::string whole = below(path, name);
    if (type == DT_DIR && descends_(whole)) {
      names.folders.insert(std::move(whole));
    } else if (type == DT_REG) {
      if (auto file = file_at(whole)) names.files.emplace(std::move(whole), *std::move(file));
    }
  }
  return names;
}

std::optional<ListedFile> ListedArea::file_at(const std::string& path) const {
  ListedFile file;
  file.key = fmt::format("{}{}/{}", keys_, name_, path);
  auto name = source_name(file.key);
  if (!name) return std::nullopt;
  file.name = *std::move(name);
  return file;
}

// A name that something happened to may mean anything now; a folder's whole content, too.
Result<void> ListedArea::look_at_name(const std::string& path, FileWatch& watch) {
  if (!folders_.contains(std::string(folder_of(path)))) return {};  // it was dropped with what it lay in
  drop(path, &watch);
  struct stat status{};
  if (!status_of(path, status)) return {};
  if (S_ISREG(status.st_mode)) {
    if (auto file = file_at(path)) look_at_file(path, files_.emplace(path, *std::move(file)).first->second, &watch);
  } else if (S_ISDIR(status.st_mode) && descends_(path)) {
    folders_.try_emplace(path);
    HF_CHECK(look_below(path, &watch));
    const std::string prefix = path + "/";
    for (auto at = files_.lower_bound(prefix); at != files_.end() && at->first.starts_with(prefix); ++at)
      look_at_file(at->first, at->second, &watch);
  }
  return {};
}

void ListedArea::look_at_file(const std::string& path, ListedFile& file, FileWatch* watch) {
  // Watched before it is looked at, so that no write falls between.
  const auto begin_watch = [&] {
    unwatch(file.watch, path, watch);
    file.watch = watch->add_file(area_, path);
    if (file.watch >= 0) watched_.emplace(file.watch, Watched{path, false});
  };
  if (watch && file.watch < 0) begin_watch();
  std::optional<ListedFile::State> state;
  const auto look = [&] {
    struct stat status{};
    state.reset();
    if (status_of(path, status) && S_ISREG(status.st_mode)) state = state_of(status);
  };
  look();
  if (watch && file.state && state && file.state->inode != state->inode) {  // what is watched is another file
    begin_watch();
    look();
  }
  if (watch && (file.watch < 0 || !state))
    looked_at_always_.insert(path);
  else
    looked_at_always_.erase(path);
  if (state == file.state) return;
  file.state = state;
  file.source.reset();
  changed_ = true;
}

void ListedArea::drop(const std::string& path, FileWatch* watch) {
  const auto erase = [&](auto& table, auto at) {
    unwatch(at->second.watch, at->first, watch);
    return table.erase(at);
  };
  const std::string prefix = path + "/";
  const std::size_t before = files_.size();
  if (const auto known = files_.find(path); known != files_.end()) erase(files_, known);
  for (auto at = files_.lower_bound(prefix); at != files_.end() && at->first.starts_with(prefix);) at = erase(files_, at);
  changed_ = changed_ || files_.size() != before;
  if (const auto known = folders_.find(path); known != folders_.end()) erase(folders_, known);
  for (auto at = folders_.lower_bound(prefix); at != folders_.end() && at->first.starts_with(prefix);) at = erase(folders_, at);
}

void ListedArea::unwatch(int& number, const std::string& path, FileWatch* watch) {
  if (number < 0) return;
  const auto [begin, end] = watched_.equal_range(number);
  const auto known = std::find_if(begin, end, [&](const auto& each) { return each.second.path == path; });
  if (known != end) watched_.erase(known);
  if (watch) watch->drop(number);
  number = -1;
}

}  // namespace holdfast::transcripts
