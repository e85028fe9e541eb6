#include "tools/document_desks.h"

#include "base/at_or_below.h"
#include "base/uri.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>

namespace holdfast::tools {

namespace {

using documents::LibraryFolder;

constexpr std::string_view kHowToSay = "start the server with --documents DIR, or set documents.roots in config.json";

Error denied(std::string message, std::string hint = std::string(kHowToSay)) {
  return make_error(ErrorKind::refused, std::move(message), std::move(hint), "path_denied");
}

bool is_inside(const std::string& folder, const std::string& other) {
  return folder.size() > other.size() && folder.starts_with(other) && (other.ends_with('/') || folder[other.size()] == '/');
}

// The project that the folder is, or stands in; empty: none of this caller's.
std::string project_around(const std::string& folder, const Identity& who) {
  for (const std::string& project : who.projects)
    if (const auto path = path_of_file_uri(project); path && is_at_or_below(folder, *path)) return project;
  return {};
}

std::vector<LibraryFolder> project_folders(const ResolvedRoots& resolved) {
  std::vector<LibraryFolder> folders;
  for (const std::string& root : resolved.roots)
    if (auto path = path_of_file_uri(root)) folders.push_back({root_display_name(root), std::move(*path), false});
  return folders;
}

}  // namespace

std::vector<LibraryFolder> tidy_folders(std::vector<LibraryFolder> folders) {
  for (LibraryFolder& folder : folders) {
    std::error_code error;
    if (const auto real = std::filesystem::canonical(folder.folder, error); !error) folder.folder = real.string();
  }
  std::vector<LibraryFolder> tidy;
  for (LibraryFolder& folder : folders) {
    const bool covered = std::ranges::any_of(folders, [&](const auto& other) { return is_inside(folder.folder, other.folder); });
    const bool twice = std::ranges::find(tidy, folder.folder, &LibraryFolder::folder) != tidy.end();
    if (covered || twice) continue;
    const std::string name = folder.name;
    for (int number = 2; std::ranges::find(tidy, folder.name, &LibraryFolder::name) != tidy.end(); ++number)
      folder.name = fmt::format("{}-{}", name, number);
    tidy.push_back(folder);
  }
  return tidy;
}

std::vector<LibraryFolder> folders_inside(std::vector<LibraryFolder> folders, const Identity& who) {
  std::erase_if(folders, [&](const LibraryFolder& folder) { return !stands_in_projects(folder.folder, who); });
  return folders;
}

bool stands_in_projects(const std::string& folder, const Identity& who) {
  return who.projects.empty() || !project_around(folder, who).empty();
}

Result<ChosenDesk> DocumentDesks::choose(mcp::Call& call) {
  ChosenDesk chosen;
  const mcp::Caller& caller = call.caller();
  if (!settings_.folders.empty()) {
    std::vector<LibraryFolder> folders = folders_inside(settings_.folders, caller);
    if (folders.empty())
      return fail(denied("no folder under review stands in the projects of this token",
                         fmt::format("it may work in {}", fmt::join(caller.projects, ", "))));
    HF_TRY(const ResolvedRoots known, root_.known(call));
    chosen.root_uri = known.one().value_or("");
    if (!caller.may_see(chosen.root_uri)) chosen.root_uri = project_around(folders.front().folder, caller);
    HF_TRY(chosen.desk, desk_over(std::move(folders)));
    return chosen;
  }
  if (call.caller().transport == mcp::Transport::http) return fail(denied("no folder is under review on this server"));
  HF_TRY(const ResolvedRoots resolved, root_.resolve(call));
  if (resolved.input_required) {
    chosen.input_required = true;
    return chosen;
  }
  std::vector<LibraryFolder> folders = tidy_folders(project_folders(resolved));
  if (folders.empty()) return fail(denied("it is not known which folder is under review: this client names no project root"));
  chosen.root_uri = resolved.one().value_or("");
  HF_TRY(chosen.desk, desk_over(std::move(folders)));
  return chosen;
}

Result<std::shared_ptr<documents::Desk>> DocumentDesks::desk_over(std::vector<LibraryFolder> folders) {
  // A desk works below open descriptors. A folder that was removed and made again is another one, so that is part of the key.
  std::string key;
  for (LibraryFolder& folder : folders) {
    struct stat found{};
    if (::stat(folder.folder.c_str(), &found) != 0 || !S_ISDIR(found.st_mode))
      return fail(
          denied(fmt::format("the folder {} is not there", folder.folder), "bring it back, or name another with --documents"));
    folder.read_only = folder.read_only || read_only_;
    key += fmt::format("{}\n{}\n{}:{}\n", folder.name, folder.folder, found.st_dev, found.st_ino);
  }
  const std::scoped_lock lock(mutex_);
  if (auto found = std::ranges::find(kept_, key, &Kept::key); found != kept_.end()) {
    std::rotate(found, found + 1, kept_.end());
    return kept_.back().desk;
  }
  documents::LibrarySettings settings = settings_;
  settings.folders = std::move(folders);
  HF_TRY(std::unique_ptr<documents::Desk> opened, open_(std::move(settings)));
  if (kept_.size() == kMaxOpenDesks) kept_.erase(kept_.begin());
  kept_.push_back({std::move(key), std::move(opened)});
  return kept_.back().desk;
}

}  // namespace holdfast::tools
