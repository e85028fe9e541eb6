#pragma once

// At which workspace a call works (design 8.14, 8.35): the folders of the settings, as far as the caller's token is for them.
// Nothing is under review unless the settings say so: never the caller's project by itself.
//
// A workspace stays open for the calls that follow. Thread-safe.

#include "kinds/documents/workspace/workspace.h"
#include "mcp/server/call.h"
#include "tools/project_root.h"

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace holdfast::tools {

// Each open workspace holds descriptors and an index; a client works in one or two sets of folders at a time.
inline constexpr std::size_t kMaxOpenWorkspaces = 8;

struct ChosenWorkspace {
  std::shared_ptr<documents::Workspace> workspace;
  std::string root_uri;  // the caller's project, when it has one
};

class DocumentWorkspaces {
 public:
  using Open = std::function<Result<std::unique_ptr<documents::Workspace>>(documents::LibrarySettings)>;

  // settings.folders: those of the settings; empty: every call is refused. The root outlives it.
  DocumentWorkspaces(documents::LibrarySettings settings, bool read_only, const ProjectRoot& root, Open open)
      : settings_(std::move(settings)), read_only_(read_only), root_(root), open_(std::move(open)) {}

  // Errors: refused with code path_denied (no folder is under review, none that this caller may see, or one is not there), those
  // of opening a workspace. Paths are the same for everybody, however many of the folders a caller may see.
  Result<ChosenWorkspace> choose(mcp::Call& call);

  bool read_only() const { return read_only_; }
  bool has_folders() const { return !settings_.folders.empty(); }

 private:
  struct Kept {
    std::string key;
    std::shared_ptr<documents::Workspace> workspace;
  };
  Result<std::shared_ptr<documents::Workspace>> workspace_over(std::vector<documents::LibraryFolder> folders);

  documents::LibrarySettings settings_;
  bool read_only_;
  const ProjectRoot& root_;
  Open open_;
  std::mutex mutex_;
  std::vector<Kept> kept_;  // last used last
};

// Whether the folder is, or stands in, one of the projects of who asks; every one does when they may see all projects.
bool stands_in_projects(const std::string& folder, const Identity& who);
// Those that do.
std::vector<documents::LibraryFolder> folders_inside(std::vector<documents::LibraryFolder> folders, const Identity& who);

}  // namespace holdfast::tools
