#pragma once

// The files of a library in bytewise order of their paths, without what is hidden, ignored or ours.

#include "documents/library.h"

#include <functional>
#include <string>
#include <string_view>

namespace holdfast::documents {

struct WalkedFile {
  Place place;
  std::uint64_t size = 0;
  std::int64_t modified_ns = 0;
};

struct WalkOptions {
  std::string below;  // a folder or one file; empty: everything
  bool hidden = false;
  std::function<bool()> cancelled;
};

// Stops when `each` returns false. .gitignore files are followed as git does (ignore_rules.h). Links that stay inside are
// followed once; special files are passed over. Errors: not_found (below), those of the library.
Result<void> walk(Library& library, const WalkOptions& options, const std::function<bool(const WalkedFile&)>& each);

}  // namespace holdfast::documents
