#include "kinds/transcripts/home/worktrees.h"

#include "base/files/file.h"
#include "base/text/text.h"

#include <filesystem>
#include <set>
#include <string_view>

namespace holdfast::transcripts {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kPointerBytes = 16 * 1024;  // files that hold one path

std::string line_in(const fs::path& file) {
  const std::string text = read_file(file.string(), kPointerBytes).value_or("");
  return std::string(trim(text));
}

fs::path resolved(const fs::path& base, const std::string& path) {
  return (base / path).lexically_normal();
}

// Of a tree with this .git: the folder that all trees of the repository share.
fs::path common_folder(const fs::path& tree) {
  const fs::path git = tree / ".git";
  std::error_code error;
  if (fs::is_directory(git, error)) return git;
  constexpr std::string_view kPointer = "gitdir:";
  const std::string line = line_in(git);
  if (!line.starts_with(kPointer)) return {};
  const fs::path own = resolved(tree, std::string(trim(std::string_view(line).substr(kPointer.size()))));
  const std::string common = line_in(own / "commondir");
  return common.empty() ? fs::path() : resolved(own, common);
}

fs::path without_empty_name(const fs::path& path) {
  return path.has_filename() ? path : path.parent_path();
}

}  // namespace

std::vector<std::string> worktrees_of(const std::string& path) {
  if (!path.starts_with('/')) return {};
  std::error_code error;
  fs::path tree = path;
  while (!fs::exists(tree / ".git", error)) {
    if (!tree.has_parent_path() || tree == tree.parent_path()) return {};
    tree = tree.parent_path();
  }
  const fs::path common = without_empty_name(common_folder(tree));
  if (common.empty()) return {};
  std::set<std::string> found = {without_empty_name(tree).string()};
  // A bare repository has linked trees, but no main one.
  if (common.filename() == ".git") found.insert(common.parent_path().string());
  for (fs::directory_iterator entry(common / "worktrees", error), end; !error && entry != end; entry.increment(error)) {
    if (found.size() >= kMaxWorktrees) break;
    const std::string git = line_in(entry->path() / "gitdir");
    if (git.ends_with("/.git")) found.insert(resolved(entry->path(), git).parent_path().string());
  }
  return {found.begin(), found.end()};
}

}  // namespace holdfast::transcripts
