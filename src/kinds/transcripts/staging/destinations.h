#pragma once

// Where the files of a copy go, worked out before anything is written (transcript-archive §2, §5).

#include "kinds/transcripts/home/summary.h"
#include "kinds/transcripts/rewrite/identity.h"
#include "kinds/transcripts/rewrite/path_map.h"
#include "kinds/transcripts/staging/staging.h"

#include <utility>

namespace holdfast::transcripts {

inline constexpr std::size_t kNamedConflicts = 5;  // of the paths that exist already; the rest is counted

// A project on this machine and the folder its sessions belong in. Errors: invalid (relative, empty).
struct ProjectTarget {
  std::string path;    // canonical
  std::string folder;  // below projects/
};
Result<ProjectTarget> project_target(const Home& home, const std::string& path);

std::vector<std::string> flat_agent_ids(const Inventory& inventory);

// The old root to the new one, and what the person added. Empty at level none. A root that is not known, or stays, adds nothing.
PathMap path_map_of(PathLevel level, const std::string& old_root, const std::string& new_root,
                    const std::vector<std::pair<std::string, std::string>>& maps);

// Errors: conflict, naming the first kNamedConflicts that exist.
Result<void> check_free(const Home& home, const std::vector<std::string>& paths);

// One id lives once: in a second project it would make every command ambiguous. Errors: conflict, naming where it lives.
Result<void> check_lives_nowhere_else(const Home& home, const SessionPlace& place);

// The folders of the session at their new places, empty ones too. `private_modes`: 0700 whatever they had.
Result<void> stage_folders(Staging& staging, const Identity& identity, const std::vector<ArtifactFolder>& folders,
                           bool private_modes);
std::optional<std::string> new_folder_path(const Identity& identity, const std::string& path);

}  // namespace holdfast::transcripts
