#include "kinds/transcripts/products/claude/project_root.h"

#include "kinds/transcripts/products/claude/project_folder.h"

#include <climits>

namespace holdfast::transcripts {
namespace {

// "/a/b" -> "/a", "C:\a" -> "C:"; empty when there is nothing above.
std::string_view path_above(std::string_view path) {
  const bool windows = path.size() > 1 && path[1] == ':';
  const std::size_t separator = windows ? path.find_last_of("\\/") : path.rfind('/');
  return separator == path.npos ? std::string_view() : path.substr(0, separator);
}

}  // namespace

void ProjectRoot::see(std::string_view cwd) {
  // No client could have worked there, and looking for ancestors must stay cheap.
  if (cwd.empty() || cwd.size() > PATH_MAX) return;
  if (first_.empty()) first_ = cwd;
  if (certain()) return;
  if (is_folder_of(folder_, cwd)) {
    exact_ = cwd;
    return;
  }
  if (!ancestor_.empty()) return;
  // A UTF-16 unit has one to three bytes of UTF-8, and the other Unicode form of a letter up to three units for one: paths
  // outside these lengths cannot have the folder's name.
  const bool cut = folder_.size() > kWholeFolderName;
  const std::size_t longest = cut ? PATH_MAX : 9 * folder_.size();
  const std::size_t shortest = (cut ? kWholeFolderName : folder_.size()) / 2;
  for (auto above = path_above(cwd); above.size() >= shortest; above = path_above(above)) {
    if (above.empty()) return;
    if (above.size() <= longest && is_folder_of(folder_, above)) {
      ancestor_ = above;
      return;
    }
  }
}

}  // namespace holdfast::transcripts
