#pragma once

// One folder of a library: what is in it that may be shown, and what its own rules say. The part of a walk (walk.h) that talks to
// the disk.

#include "base/files/fd.h"
#include "base/files/ignore_rules.h"
#include "base/result.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::documents {

// Rules of a folder and, through `outer`, of all folders above it; the inner ones decide first.
struct IgnoreLevel {
  IgnoreRules rules;
  std::shared_ptr<const IgnoreLevel> outer;
};
using IgnoreLevels = std::shared_ptr<const IgnoreLevel>;

// path: relative to the library's folder, as in the rules.
bool is_ignored(const IgnoreLevels& levels, std::string_view path, bool is_folder);

// The levels with those of a folder's own .gitignore in front; of the library's folder itself ("") also .git/info/exclude.
IgnoreLevels with_rules_of(const Fd& library_folder, std::string_view relative, IgnoreLevels outer);

struct ListedEntry {
  std::string name;
  bool is_folder = false;
  std::uint64_t size = 0, inode = 0;
  std::int64_t modified_ns = 0;
};

struct FolderListing {
  std::vector<ListedEntry> entries;  // so that paths come out in bytewise order: a folder sorts as if '/' ended its name
  IgnoreLevels levels;               // for what is in it
};

// Regular files and folders of library_folder/relative. Errors: those of opening and reading it.
Result<FolderListing> list_folder(const Fd& library_folder, std::string_view relative, const IgnoreLevels& outer, bool stamps);

}  // namespace holdfast::documents
