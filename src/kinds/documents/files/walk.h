#pragma once

// The files of a library in bytewise order of their paths, without what is hidden, ignored or ours (base/files/folder_walk.h).

#include "base/files/folder_walk.h"
#include "kinds/documents/files/library.h"

namespace holdfast::documents {

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

// A single file named as `below` is there even when it is ignored. Left out is everything whose name begins with '.' or cannot be
// a part of a path (library.h), and folders that cannot be read.
// Errors: not_found (below, with code no_such_document), cancelled, those of the library.
Result<std::vector<WalkedFile>> walk(Library& library, const WalkOptions& options);

}  // namespace holdfast::documents
