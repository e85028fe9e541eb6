#pragma once

// The files of a library in bytewise order of their paths, without what is hidden, ignored or ours.

#include "documents/library.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace holdfast::documents {

struct WalkedFile {
  Place place;
  std::uint64_t size = 0, inode = 0;
  std::int64_t modified_ns = 0;
};

struct WalkOptions {
  std::string below;                // a folder or one file, as shown; empty: everything
  std::function<bool()> cancelled;  // may be empty
};

// .gitignore files are followed as git does; also in a folder that is no work tree. Links to files that stay inside are left out
// (the file is found under its own name), as are special files and everything whose name begins with '.'.
// Errors: not_found (below, with code no_such_document), cancelled, those of the library.
Result<std::vector<WalkedFile>> walk(Library& library, const WalkOptions& options);

}  // namespace holdfast::documents
