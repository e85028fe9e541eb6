#include "kinds/transcripts/staging/destinations.h"

#include "kinds/transcripts/products/claude/project_folder.h"

#include <fmt/format.h>

namespace holdfast::transcripts {

Result<ProjectTarget> project_target(const Home& home, const std::string& path) {
  if (path.empty())
    return fail(ErrorKind::invalid, "no target project", "say which folder the session is for ({target_project})");
  ProjectTarget target;
  HF_TRY(target.path, canonical_project(path));
  HF_TRY(target.folder, folder_for_project(home, target.path));
  return target;
}

std::vector<std::string> flat_agent_ids(const Inventory& inventory) {
  constexpr std::string_view kBefore = "agent-", kBehind = ".jsonl";
  std::vector<std::string> ids;
  for (const Artifact& artifact : inventory.artifacts) {
    if (artifact.kind != ArtifactKind::flat_agent) continue;
    const std::string_view name = std::string_view(artifact.path).substr(artifact.path.rfind('/') + 1);
    ids.emplace_back(name.substr(kBefore.size(), name.size() - kBefore.size() - kBehind.size()));
  }
  return ids;
}

PathMap path_map_of(PathLevel level, const std::string& old_root, const std::string& new_root,
                    const std::vector<std::pair<std::string, std::string>>& maps) {
  PathMap map;
  if (level == PathLevel::none) return map;
  for (const auto& [from, to] : maps) map.add(from, to);
  if (!old_root.empty() && !new_root.empty() && old_root != new_root) map.add(old_root, new_root);
  return map;
}

Result<void> check_free(const Home& home, const std::vector<std::string>& paths) {
  std::string named;
  std::size_t existing = 0;
  for (const std::string& path : paths) {
    HF_TRY(const auto status, home.stat(path));
    if (status && ++existing <= kNamedConflicts) named += "\n  " + home.absolute(path);
  }
  if (existing == 0) return {};
  if (existing > kNamedConflicts) named += fmt::format("\n  and {} more", existing - kNamedConflicts);
  return fail(ErrorKind::conflict, fmt::format("{} of {} files exist already:{}", existing, paths.size(), named),
              "nothing was written");
}

Result<void> check_lives_nowhere_else(const Home& home, const SessionPlace& place) {
  HF_TRY(const auto found, sessions_with_prefix(home, place.session_id));
  for (const FoundSession& each : found) {
    if (each.place.project_folder == place.project_folder) continue;
    return fail(ErrorKind::conflict,
                fmt::format("{} lives in another project: {}", place.session_id, home.absolute(each.place.transcript())),
                "nothing was written; holdfast move takes it where it should be, and a restore without {in_place} makes a copy");
  }
  return {};
}

std::optional<std::string> new_folder_path(const Identity& identity, const std::string& path) {
  Artifact folder;  // of no kind that is named by anything but where it lies
  folder.path = path;
  return new_path(identity, folder);
}

Result<void> stage_folders(Staging& staging, const Identity& identity, const std::vector<ArtifactFolder>& folders,
                           bool private_modes) {
  for (const ArtifactFolder& folder : folders) {
    const auto path = new_folder_path(identity, folder.path);
    if (path) HF_CHECK(staging.make_folder(*path, private_modes ? 0700 : folder.mode));
  }
  return {};
}

}  // namespace holdfast::transcripts
