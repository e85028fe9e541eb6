#include "tools/documents/document_workspaces.h"

#include "base/files/at_or_below.h"
#include "base/text/uri.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <sys/stat.h>

#include <algorithm>

namespace holdfast::tools {

namespace {

using documents::LibraryFolder;

constexpr std::string_view kHowToSay = "start the server with --documents DIR, or set documents.roots in config.json";

Error denied(std::string message, std::string hint = std::string(kHowToSay)) {
  return make_error(ErrorKind::refused, std::move(message), std::move(hint), "path_denied");
}

// The project that the folder is, or stands in; empty: none of this caller's.
std::string project_around(const std::string& folder, const Identity& who) {
  for (const std::string& project : who.projects)
    if (const auto path = path_of_file_uri(project); path && is_at_or_below(folder, *path)) return project;
  return {};
}

}  // namespace

std::vector<LibraryFolder> folders_inside(std::vector<LibraryFolder> folders, const Identity& who) {
  std::erase_if(folders, [&](const LibraryFolder& folder) { return !stands_in_projects(folder.folder, who); });
  return folders;
}

bool stands_in_projects(const std::string& folder, const Identity& who) {
  return who.projects.empty() || !project_around(folder, who).empty();
}

Result<ChosenWorkspace> DocumentWorkspaces::choose(mcp::Call& call) {
  if (!has_folders()) return fail(denied("no folder is under review on this server"));
  ChosenWorkspace chosen;
  const mcp::Caller& caller = call.caller();
  std::vector<LibraryFolder> folders = folders_inside(settings_.folders, caller);
  if (folders.empty())
    return fail(denied("no folder under review stands in the projects of this token",
                       fmt::format("it may work in {}", fmt::join(caller.projects, ", "))));
  HF_TRY(const ResolvedRoots known, root_.known(call));
  chosen.root_uri = known.one().value_or("");
  if (!caller.may_see(chosen.root_uri)) chosen.root_uri = project_around(folders.front().folder, caller);
  HF_TRY(chosen.workspace, workspace_over(std::move(folders)));
  return chosen;
}

Result<std::shared_ptr<documents::Workspace>> DocumentWorkspaces::workspace_over(std::vector<LibraryFolder> folders) {
  // A workspace works below open descriptors. A folder that was removed and made again is another one, so that is part of the
  // key.
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
    return kept_.back().workspace;
  }
  documents::LibrarySettings settings = settings_;
  settings.one_of_several = settings_.folders.size() > 1;
  settings.folders = std::move(folders);
  HF_TRY(std::unique_ptr<documents::Workspace> opened, open_(std::move(settings)));
  if (kept_.size() == kMaxOpenWorkspaces) kept_.erase(kept_.begin());
  kept_.push_back({std::move(key), std::move(opened)});
  return kept_.back().workspace;
}

}  // namespace holdfast::tools
