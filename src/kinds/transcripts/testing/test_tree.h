#pragma once

// For tests: a folder with everything in it as a value that can be compared, and the home that the real client wrote.

#include "base/files/file.h"

#include <fmt/format.h>

#include <sys/stat.h>

#include <filesystem>
#include <map>
#include <string>

namespace holdfast::transcripts {

// Path below the folder -> kind, mode and bytes; `with_times` adds the time of every file (not of folders: those change whenever
// a file comes or goes).
inline std::map<std::string, std::string> tree_of(const std::string& folder, bool with_times = false) {
  std::map<std::string, std::string> tree;
  std::error_code error;
  constexpr auto kFollow = std::filesystem::directory_options::follow_directory_symlink;  // to another file system
  for (std::filesystem::recursive_directory_iterator it(folder, kFollow, error), end; !error && it != end; it.increment(error)) {
    const std::string path = it->path().string();
    struct stat status{};
    if (::lstat(path.c_str(), &status) != 0) continue;
    std::string& entry = tree[path.substr(folder.size() + 1)];
    entry = fmt::format("{:o} ", status.st_mode);
    if (S_ISREG(status.st_mode)) {
      if (with_times) entry += fmt::format("{}.{} ", status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
      entry += read_file(path).value_or("unreadable");
    }
  }
  return tree;
}

inline void write_test_file(const std::string& path, std::string_view bytes) {
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  replace_file(path, bytes, 0644).value();
}

}  // namespace holdfast::transcripts
