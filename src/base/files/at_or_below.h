#pragma once

// Whether one path is another or lies below it, told by their names alone and by whole components: "/etcetera" is not below
// "/etc". Both are spelled the same way (absolute or not, without "." and ".."); "" and "/" are above everything, and a slash
// at the end of the folder means nothing.

#include <string_view>

namespace holdfast {

inline bool is_at_or_below(std::string_view path, std::string_view folder) {
  if (folder.ends_with('/')) folder.remove_suffix(1);
  if (folder.empty()) return true;
  return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

}  // namespace holdfast
