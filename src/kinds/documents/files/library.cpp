#include "kinds/documents/files/library.h"

#include "base/files/at_or_below.h"
#include "base/files/file.h"
#include "base/files/path_below.h"
#include "base/text/text.h"
#include "kinds/documents/files/path_name.h"
#include "kinds/documents/files/walk.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <climits>
#include <numeric>
#include <optional>

namespace holdfast::documents {
namespace {

// Somebody may save or rename between our opening a file and our asking what it is called. Not that often in a row, unless on
// purpose.
constexpr int kTries = 64;

std::unexpected<Error> not_in_library(std::string why) {
  return fail(ErrorKind::invalid, std::move(why), "Only documents of the library can be named; glob lists them.", "path_denied");
}

// What the kernel calls an open file, links resolved.
Result<std::string> path_of(const Fd& fd) {
  std::array<char, PATH_MAX> path;
  const ssize_t length = ::readlink(fmt::format("/proc/self/fd/{}", fd.get()).c_str(), path.data(), path.size());
  if (length < 0) return fail(system_error("the name of an open file (is /proc mounted?)", errno));
  return std::string(path.data(), static_cast<std::size_t>(length));
}

bool same_file(const Fd& a, const Fd& b) {
  struct stat of_a{}, of_b{};
  return ::fstat(a.get(), &of_a) == 0 && ::fstat(b.get(), &of_b) == 0 && of_a.st_dev == of_b.st_dev && of_a.st_ino == of_b.st_ino;
}

bool is_folder(const Fd& fd) {
  struct stat status{};
  return ::fstat(fd.get(), &status) == 0 && S_ISDIR(status.st_mode);
}

// The path of an open file below a folder, links resolved; nothing when it has none. A file that was removed or renamed since it
// was opened is not found under what the kernel calls it ("a.md (deleted)"), so the name is tried.
std::optional<std::string> path_inside(const Fd& folder, const Fd& opened) {
  const auto above = path_of(folder), below = path_of(opened);
  if (!above || !below) return std::nullopt;
  if (*above == *below) return "";
  const std::string_view prefix = *above == "/" ? std::string_view() : std::string_view(*above);
  if (!is_at_or_below(*below, prefix)) return std::nullopt;
  std::string relative = below->substr(prefix.size() + 1);
  const auto again = open_below(folder, relative, O_PATH | O_NOFOLLOW, 0, Links::refuse);
  if (!again || !same_file(*again, opened)) return std::nullopt;
  return relative;
}

// Not for the superuser either, whom no permission stops, where nobody has the permission. A file that is gone is none that is
// protected: whoever wants to write it finds out.
bool is_file_writable(const Fd& folder, const std::string& relative) {
  const auto file = open_below(folder, relative, O_PATH | O_NOFOLLOW, 0, Links::refuse);
  struct stat status{};
  if (!file || ::fstat(file->get(), &status) != 0) return true;
  if ((status.st_mode & (S_IWUSR | S_IWGRP | S_IWOTH)) == 0) return false;
  return ::access(fmt::format("/proc/self/fd/{}", file->get()).c_str(), W_OK) == 0 || errno != EACCES;
}

// A link that names an absolute path is refused by the kernel wherever it leads. Where it leads inside after all, the file is
// opened by that name, links refused.
Result<Fd> open_inside(const Fd& folder, const std::string& relative) {
  auto opened = open_below(folder, relative, O_PATH);
  if (opened || opened.error().kind != ErrorKind::refused) return opened;
  const Fd anywhere(::openat(folder.get(), relative.c_str(), O_PATH | O_CLOEXEC));
  if (!anywhere) return opened;
  const auto inside = path_inside(folder, anywhere);
  if (!inside) return opened;
  return open_below(folder, inside->empty() ? "." : *inside, O_PATH, 0, Links::refuse);
}

// A walk of that many files takes a few milliseconds; a miss is not worth more.
constexpr std::size_t kMaxLookedAt = 10'000;
constexpr std::size_t kMaxNameBytes = 128;  // of names whose letters are compared: the work grows with the square

// How many letters have to be added, removed or replaced.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, diagonal + 1, row[j] + 1});
    }
  }
  return row.back();
}

std::string_view stem_of(std::string_view name) {
  return name.substr(0, name.rfind('.'));
}

// 0 is the same name elsewhere, then the same but for its ending, then by letters; nothing when they are too different.
std::optional<std::size_t> farness(std::string_view wanted, std::string_view name) {
  if (name == wanted) return 0;
  if (stem_of(name) == stem_of(wanted)) return 1;
  const std::size_t longer = std::max(name.size(), wanted.size()), shorter = std::min(name.size(), wanted.size());
  const std::size_t allowed = std::max<std::size_t>(1, wanted.size() / 4);
  if (longer > kMaxNameBytes || longer - shorter > allowed) return std::nullopt;
  const std::size_t letters = distance(wanted, name);
  return letters <= allowed ? std::optional(1 + letters) : std::nullopt;
}

constexpr std::size_t kMaxNearNames = 3;  // document-review §4, no_such_document

// What somebody may have meant who named a document that is not there: the same name in another folder, or nearly the same name.
// Paths as shown, nearest first. Looks at a bounded number of files, so a miss in a large library stays cheap.
std::vector<std::string> near_names(Library& library, std::string_view path) {
  const std::string wanted = to_ascii_lower(name_of_path(path));
  if (wanted.empty()) return {};
  WalkOptions options;
  options.stamps = false;
  options.max_files = kMaxLookedAt;
  const auto files = walk(library, options);
  if (!files) return {};
  std::vector<std::pair<std::size_t, std::string>> near;
  for (const WalkedFile& file : *files)
    if (const auto far = farness(wanted, to_ascii_lower(name_of_path(file.place.relative))))
      near.emplace_back(*far, file.place.path);
  std::ranges::sort(near);
  std::vector<std::string> names;
  for (auto& [far, name] : near)
    if (names.size() < kMaxNearNames) names.push_back(std::move(name));
  return names;
}

struct OpenFolder {
  Fd fd;
  std::string canonical;                   // without a trailing '/': "" for the root of the file system
  std::optional<std::string> state_below;  // where the state folder is, when it is in here
};

class FolderLibrary final : public Library {
 public:
  FolderLibrary(LibrarySettings settings, std::vector<OpenFolder> folders)
      : settings_(std::move(settings)), folders_(std::move(folders)) {}

  const LibrarySettings& settings() const override { return settings_; }
  const Fd& folder_of(const Place& place) override { return folders_[place.folder].fd; }

  Result<Place> find(std::string_view path) override {
    HF_TRY(const Named named, name(path, PathFor::existing));
    if (has_hidden_segment(named.relative)) return fail(missing(path, named));
    const Fd& folder = folders_[named.folder].fd;
    for (int tries = 0; tries < kTries; ++tries) {
      const auto opened = open_inside(folder, named.relative.empty() ? "." : named.relative);
      if (!opened) return fail(missing(path, named));
      const auto relative = path_inside(folder, *opened);
      // Somebody is writing it in this moment: what was opened lies under a temporary name now.
      if (!relative || name_of_path(*relative).starts_with(kTemporaryPrefix)) continue;
      // An inner link may lead to what has no name for strangers.
      HF_CHECK(check_allowed(named.folder, *relative));
      if (has_hidden_segment(*relative) || is_left_out(folder, *relative, is_folder(*opened))) return fail(missing(path, named));
      return place(named.folder, *relative, true, is_folder(*opened));
    }
    return fail(ErrorKind::conflict, std::string(path) + " is being replaced again and again", "Try again.");
  }

  Result<Place> find_new(std::string_view path) override {
    HF_TRY(const Named named, name(path, PathFor::creating));
    if (named.relative.empty()) return fail(exists(path));
    if (has_hidden_segment(named.relative))
      return not_in_library("a name that begins with '.' is hidden, so it cannot be a document: " + std::string(path));
    for (int tries = 0; tries < kTries; ++tries) {
      auto found = try_find_new(named, path);
      if (!found) return fail(std::move(found).error());
      if (*found) return **std::move(found);
    }
    return fail(ErrorKind::conflict, std::string(path) + ": folders on the way were renamed meanwhile", "Try again.");
  }

  std::optional<Place> place_of(std::string_view key) override {
    for (std::size_t i = 0; i < folders_.size(); ++i) {
      const OpenFolder& folder = folders_[i];
      if (!is_at_or_below(key, folder.canonical)) continue;
      const std::string_view relative = key.substr(std::min(key.size(), folder.canonical.size() + 1));
      if (has_hidden_segment(relative) || !check_allowed(i, relative)) return std::nullopt;
      const auto opened = open_below(folder.fd, relative.empty() ? "." : relative, O_PATH | O_NOFOLLOW, 0, Links::refuse);
      return place(i, std::string(relative), opened.has_value(), opened && is_folder(*opened));
    }
    return std::nullopt;
  }

  Result<void> require_writable(const Place& place) override {
    if (settings_.folders[place.folder].read_only)
      return fail(ErrorKind::refused, place.path + ": this folder may be read, not changed", "", "read_only");
    if (!place.exists || place.is_folder || is_file_writable(folders_[place.folder].fd, place.relative)) return {};
    return fail(ErrorKind::refused, place.path + " is write-protected by its permissions",
                fmt::format("ask the person who owns it to allow it: chmod u+w {}", place.path), "read_only");
  }

 private:
  struct Named {
    std::size_t folder = 0;
    std::string relative;  // as given, without "." and doubled '/'
  };

  // Which folder a path is about, and what is refused without looking at the disk.
  Result<Named> name(std::string_view path, PathFor purpose) {
    HF_TRY(std::vector<std::string> segments, path_segments(path, purpose));
    Named named;
    if (settings_.names_folders()) {
      const auto folder = segments.empty() ? settings_.folders.end()
                                           : std::ranges::find(settings_.folders, segments.front(), &LibraryFolder::name);
      if (folder == settings_.folders.end()) return unknown_folder(path, segments);
      named.folder = static_cast<std::size_t>(folder - settings_.folders.begin());
      segments.erase(segments.begin());
    }
    if (leaves_its_folder(segments)) return not_in_library("the path leads out of its folder: " + std::string(path));
    named.relative = join_path(segments);
    HF_CHECK(check_allowed(named.folder, named.relative));
    return named;
  }

  std::unexpected<Error> unknown_folder(std::string_view path, const std::vector<std::string>& segments) const {
    if (!segments.empty() && segments.front() == "..")
      return not_in_library("the path leads out of the library: " + std::string(path));
    std::string names;
    for (const LibraryFolder& folder : settings_.folders) names += (names.empty() ? "" : ", ") + folder.name;
    return fail(ErrorKind::not_found, fmt::format("there is no \"{}\"", path), "Paths begin with one of: " + names + ".",
                "no_such_document");
  }

  Result<void> check_allowed(std::size_t folder, std::string_view relative) const {
    if (has_git_segment(relative)) return not_in_library("what git keeps for itself is no document: " + std::string(relative));
    const auto& state = folders_[folder].state_below;
    if (state && is_at_or_below(relative, *state)) return not_in_library("the state folder is no part of the library");
    return {};
  }

  // Nothing when a folder on the way was renamed meanwhile.
  Result<std::optional<Place>> try_find_new(const Named& named, std::string_view path) {
    const Fd& folder = folders_[named.folder].fd;
    std::string_view parent = named.relative, rest;
    Result<Fd> opened = fail(ErrorKind::not_found, "");
    while (!opened) {
      parent = parent_of(parent);
      rest = std::string_view(named.relative).substr(parent.empty() ? 0 : parent.size() + 1);
      opened = open_below(folder, parent.empty() ? "." : parent, O_PATH | O_DIRECTORY);
      if (!opened && parent.empty()) return fail(std::move(opened).error());
    }
    const auto above = path_inside(folder, *opened);
    if (!above) return std::optional<Place>();

    // What could not be opened as a folder may be there all the same: a file, or a link that leads nowhere or outside.
    const std::string next(rest.substr(0, rest.find('/')));
    struct stat status{};
    if (::fstatat(opened->get(), next.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0) {
      if (next == rest) return fail(exists(path));
      if (S_ISREG(status.st_mode))
        return fail(ErrorKind::invalid, fmt::format("{}: \"{}\" is a file, not a folder", path, next), "", "bad_argument");
      return not_in_library(fmt::format("{}: \"{}\" is not a folder of the library", path, next));
    }
    if (errno != ENOENT) return not_in_library(system_error(path, errno).message);

    const std::string relative = above->empty() ? std::string(rest) : *above + '/' + std::string(rest);
    HF_CHECK(check_allowed(named.folder, relative));
    if (has_hidden_segment(relative)) return not_in_library(std::string(path) + ": leads into a hidden folder");
    if (is_left_out(folder, relative, false))
      return not_in_library(std::string(path) + ": .gitignore names it, or it lies too deep, so no listing would show it");
    return std::optional<Place>(place(named.folder, relative, false, false));
  }

  Place place(std::size_t folder, std::string relative, bool exists, bool is_folder) const {
    Place made;
    made.folder = folder;
    made.path = relative;
    if (settings_.names_folders()) {
      const std::string& name = settings_.folders[folder].name;
      made.path = relative.empty() ? name : name + '/' + relative;
    }
    made.key = relative.empty() ? folders_[folder].canonical : folders_[folder].canonical + '/' + relative;
    made.exists = exists;
    made.is_folder = is_folder;
    made.reviewed = !is_folder && is_reviewed(settings_, relative);
    made.relative = std::move(relative);
    return made;
  }

  Error exists(std::string_view path) const {
    return make_error(ErrorKind::conflict, std::string(path) + " is there already", "Choose another name, or edit it.", "exists");
  }

  Error missing(std::string_view path, const Named& named) {
    // Near names are looked for by a walk that finds the folders themselves; when one of those is missing it must not begin anew.
    const std::vector<std::string> near = named.relative.empty() ? std::vector<std::string>() : near_names(*this, path);
    std::string hint = near.empty() ? "glob lists what there is." : "Near names: ";
    for (std::size_t i = 0; i < near.size(); ++i) hint += (i == 0 ? "" : ", ") + near[i];
    return make_error(ErrorKind::not_found, fmt::format("there is no \"{}\"", path), std::move(hint), "no_such_document");
  }

  LibrarySettings settings_;
  std::vector<OpenFolder> folders_;
};

Result<OpenFolder> open_library_folder(LibraryFolder& folder) {
  if (!folder.folder.starts_with('/'))
    return fail(ErrorKind::invalid, "the folder of documents is not an absolute path: " + folder.folder);
  OpenFolder opened;
  HF_TRY(opened.fd, open_folder(folder.folder));
  HF_TRY(opened.canonical, path_of(opened.fd));
  if (opened.canonical == "/") opened.canonical.clear();
  if (folder.name.empty()) folder.name = name_of_path(opened.canonical);
  return opened;
}

Result<void> check_apart(const LibrarySettings& settings, const std::vector<OpenFolder>& opened) {
  const std::vector<LibraryFolder>& folders = settings.folders;
  const bool names_folders = settings.names_folders();
  for (std::size_t i = 0; i < folders.size(); ++i) {
    const std::string& name = folders[i].name;
    if (names_folders && (name.empty() || name.starts_with('.') || name.contains('/') || !is_speakable(name)))
      return fail(ErrorKind::invalid, fmt::format("\"{}\" cannot be the name of a folder of documents", name));
    for (std::size_t j = 0; j < i; ++j) {
      if (name == folders[j].name)
        return fail(ErrorKind::invalid, fmt::format("two folders of documents are called \"{}\"", name),
                    "Give one another name.");
      if (is_at_or_below(opened[i].canonical, opened[j].canonical) || is_at_or_below(opened[j].canonical, opened[i].canonical))
        return fail(ErrorKind::invalid, fmt::format("{} and {}: one lies in the other", folders[j].folder, folders[i].folder),
                    "Name the outer one alone.");
    }
  }
  return {};
}

Result<void> open_state(LibrarySettings& settings, std::vector<OpenFolder>& folders) {
  HF_CHECK(make_private_folder(settings.state_folder));
  HF_TRY(const Fd state, open_folder(settings.state_folder));
  HF_TRY(settings.state_folder, path_of(state));
  for (OpenFolder& folder : folders) {
    if (is_at_or_below(folder.canonical, settings.state_folder))
      return fail(ErrorKind::invalid, "the documents lie in the state folder " + settings.state_folder,
                  "Keep the state elsewhere.");
    if (is_at_or_below(settings.state_folder, folder.canonical))
      folder.state_below = settings.state_folder.substr(folder.canonical.size() + 1);
  }
  for (const char* const part : {"/locks", "/trash"}) HF_CHECK(make_private_folder(settings.state_folder + part));
  return {};
}

}  // namespace

bool is_reviewed(const LibrarySettings& settings, std::string_view path) {
  return std::ranges::any_of(settings.reviewed, [path](const std::string& end) {
    return path.size() >= end.size() && equal_ignoring_ascii_case(path.substr(path.size() - end.size()), end);
  });
}

Result<std::unique_ptr<Library>> Library::open(LibrarySettings settings) {
  if (settings.folders.empty())
    return fail(ErrorKind::invalid, "no folder of documents is named", "Set documents.roots or give --documents.", "path_denied");
  std::vector<OpenFolder> folders;
  for (LibraryFolder& folder : settings.folders) {
    HF_TRY(OpenFolder opened, open_library_folder(folder));
    folders.push_back(std::move(opened));
  }
  HF_CHECK(check_apart(settings, folders));
  HF_CHECK(open_state(settings, folders));
  return std::make_unique<FolderLibrary>(std::move(settings), std::move(folders));
}

}  // namespace holdfast::documents
