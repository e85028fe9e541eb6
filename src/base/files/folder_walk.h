#pragma once

// The files below a folder in bytewise order of their paths, without what .gitignore files leave out.
//
// .gitignore files are followed as git does; also in a folder that is no work tree, and .git/info/exclude in one that is. Rules
// that stand above the root do not count. Links are left out (what they point to inside of the root is found under its own name,
// what is outside is none of it), as is everything that is neither a file nor a folder. Folders are opened below the root's
// descriptor, links refused, so a folder that is swapped for a link during the walk is not followed.
// Works on several threads when the tree is large.

#include "base/files/fd.h"
#include "base/files/ignore_rules.h"
#include "base/result.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast {

inline constexpr std::size_t kMaxWalkDepth = 64;         // a deeper tree is a loop of mounts or an attack
inline constexpr std::size_t kMaxWalkFiles = 1'000'000;  // about 150 MB of what is known of them

struct FoundFile {
  std::string path;  // below the root
  std::uint64_t size = 0, inode = 0;
  std::int64_t modified_ns = 0;
  std::int64_t changed_ns = 0;  // also set when somebody puts the old time of modification back (cp -p, rsync -t)
};

struct FoundFiles {
  std::vector<FoundFile> files;
  std::vector<std::string> unreadable;  // folders that could not be opened
  bool complete = true;                 // false: stopped at max_files; which ones are left out is not defined
};

struct FolderWalkOptions {
  std::string below;                                 // a folder below the root; empty: the root itself
  std::vector<std::string> weak_rules;               // decide where no .gitignore does
  std::vector<std::string> strong_rules;             // decide before every .gitignore
  std::function<bool(std::string_view name)> takes;  // of names of files and folders, on any thread; empty: all
  std::string left_out;                              // a folder below the root that nobody shall see; may be empty
  std::function<bool()> cancelled;                   // may be empty; called on the caller's thread
  bool stamps = true;                                // size and times, which cost a system call a file; without it they are 0
  std::size_t max_files = kMaxWalkFiles;
};

// Nothing is found when `below` is left out itself. Errors: those of opening `below`, cancelled.
Result<FoundFiles> walk_folder(const Fd& root, const FolderWalkOptions& options);

// Whether a walk of the root does not come to a path: rules leave it out or a folder above it, or it lies too deep.
bool is_left_out(const Fd& root, std::string_view path, bool is_folder);

}  // namespace holdfast
