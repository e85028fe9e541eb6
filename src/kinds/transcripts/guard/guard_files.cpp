#include "kinds/transcripts/guard/guard_files.h"

#include "base/ids.h"
#include "kinds/transcripts/products/codex/codex_file_name.h"

#include <dirent.h>

#include <algorithm>

namespace holdfast::transcripts {
namespace {

constexpr std::array<std::string_view, 7> kClaudeAreas = {"projects",    "plans",        "todos", "tasks",
                                                          "session-env", "file-history", "debug"};
constexpr std::array<std::string_view, 2> kCodexAreas = {"sessions", "archived_sessions"};
constexpr std::string_view kClaudeKey = "claude:", kCodexKey = "codex:";

}  // namespace

const Home& home_of(const Homes& homes, Product product) {
  return product == Product::claude ? homes.claude : homes.codex;
}

std::span<const std::string_view> guarded_areas(Product product) {
  if (product == Product::claude) return kClaudeAreas;
  return kCodexAreas;
}

std::string guard_key(const GuardedFile& file) {
  return std::string(file.product == Product::claude ? kClaudeKey : kCodexKey) + file.path;
}

std::optional<GuardedFile> file_of_key(std::string_view key) {
  if (key.starts_with(kClaudeKey)) return GuardedFile{Product::claude, std::string(key.substr(kClaudeKey.size()))};
  if (key.starts_with(kCodexKey)) return GuardedFile{Product::codex, std::string(key.substr(kCodexKey.size()))};
  return std::nullopt;
}

std::string session_in_path(const GuardedFile& file) {
  if (file.product == Product::codex) {
    const auto rollout = codex_file_of(file.path);
    return rollout ? rollout->id : std::string();
  }
  const auto part = [&](std::size_t number) {
    std::string_view rest = file.path;
    for (; number > 0 && !rest.empty(); --number) rest.remove_prefix(std::min(rest.size(), rest.find('/') + 1));
    return rest.substr(0, rest.find('/'));
  };
  const std::string_view name = part(file.path.starts_with("projects/") ? 2 : 1).substr(0, kUuidLength);
  return is_uuid(name) ? std::string(name) : std::string();
}

bool is_guarded(const GuardedFile& file) {
  const auto areas = guarded_areas(file.product);
  if (std::ranges::find(areas, std::string_view(file.path).substr(0, file.path.find('/'))) == areas.end()) return false;
  const auto kind = kind_of_path(file.path, SessionPlace{});
  return kind && *kind != ArtifactKind::task_lock;
}

bool may_hold_guarded(Product product, std::string_view folder) {
  const auto areas = guarded_areas(product);
  const std::string_view area = folder.substr(0, folder.find('/'));
  if (std::ranges::find(areas, area) == areas.end()) return false;
  if (area != "projects") return true;
  // projects/<project>/<session>/…: other folders of a project (memory) are its own.
  std::string_view below = folder.substr(std::min(folder.size(), area.size() + 1));
  const std::size_t slash = below.find('/');
  if (slash == std::string_view::npos) return true;
  below.remove_prefix(slash + 1);
  return is_uuid(below.substr(0, below.find('/')));
}

void walk_guarded(const Home& home, Product product, const std::string& folder, const GuardWalk& walk) {
  std::vector<std::string> waiting = {folder};
  while (!waiting.empty()) {
    const std::string path = std::move(waiting.back());
    waiting.pop_back();
    if (walk.folder) walk.folder(path);
    const auto entries = home.entries(path);
    if (!entries) {
      if (walk.trouble) walk.trouble(entries.error());
      continue;
    }
    for (const Home::Entry& entry : *entries) {
      std::string below = path + "/" + entry.name;
      if (entry.type == DT_DIR) {
        if (may_hold_guarded(product, below)) waiting.push_back(std::move(below));
      } else if (entry.type == DT_REG && walk.file) {
        GuardedFile file{product, std::move(below)};
        if (is_guarded(file)) walk.file(std::move(file));
      }
    }
  }
}

std::vector<GuardedFile> guarded_files_of(const Home& home, const SessionPlace& place,
                                          const std::function<void(const Error&)>& trouble) {
  std::vector<GuardedFile> files;
  const GuardWalk walk{[&](GuardedFile file) { files.push_back(std::move(file)); }, {}, trouble};
  files.push_back({Product::claude, place.transcript()});
  files.push_back({Product::claude, "debug/" + place.session_id + ".txt"});
  walk_guarded(home, Product::claude, place.folder(), walk);
  for (const std::string_view area : {"tasks", "session-env", "file-history"}) {
    walk_guarded(home, Product::claude, std::string(area) + "/" + place.session_id, walk);
  }
  walk_guarded(home, Product::claude, "plans", walk);
  // Names that do not say whose they are (flat subagents), or only at their beginning.
  for (const std::string& folder : {"projects/" + place.project_folder, std::string("todos")}) {
    const auto entries = home.entries(folder);
    if (!entries && trouble) trouble(entries.error());
    if (!entries) continue;
    for (const Home::Entry& entry : *entries) {
      GuardedFile file{Product::claude, folder + "/" + entry.name};
      const auto kind = kind_of_path(file.path, place);
      if (kind == ArtifactKind::flat_agent || kind == ArtifactKind::todo) files.push_back(std::move(file));
    }
  }
  return files;
}

}  // namespace holdfast::transcripts
