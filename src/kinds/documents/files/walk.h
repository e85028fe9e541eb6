#pragma once

// The files of a library in bytewise order of their paths, without what is hidden, ignored or ours.

#include "kinds/documents/files/library.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace holdfast::documents {

inline constexpr std::size_t kMaxWalkDepth = 64;         // a deeper tree is a loop of mounts or an attack
inline constexpr std::size_t kMaxWalkFiles = 1'000'000;  // about 400 MB of what is known of them

struct WalkedFile {
  Place place;
  std::uint64_t size = 0, inode = 0;
  std::int64_t modified_ns = 0;  // or changed in any other way, when that was later
};

struct WalkOptions {
  std::string below;                      // a folder or one file, as shown; empty: everything
  std::function<bool()> cancelled;        // may be empty; called on the caller's thread
  bool stamps = true;                     // size and modified_ns, which cost a system call a file; without it they are 0
  std::size_t max_files = kMaxWalkFiles;  // then it stops; which ones are left out is not defined
};

// .gitignore files are followed as git does; also in a folder that is no work tree, and .git/info/exclude in one that is. Rules
// that stand above the library's folder do not count. A single file named as `below` is there even when it is ignored. Links to
// files that stay inside are left out (the file is found under its own name), as are special files and everything whose name
// begins with '.' or cannot be a part of a path (library.h). Folders that cannot be read are left out.
// Works on several threads when the tree is large.
// Errors: not_found (below, with code no_such_document), cancelled, those of the library.
Result<std::vector<WalkedFile>> walk(Library& library, const WalkOptions& options);

}  // namespace holdfast::documents
