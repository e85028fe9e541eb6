#pragma once

// What is done to names in a folder that is held open: whoever swaps the folder for a link meanwhile leads nowhere.

#include "base/files/fd.h"
#include "base/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace holdfast {

struct FolderEntry {
  std::string name;
  unsigned char type;  // DT_REG, DT_DIR, DT_LNK, ...; DT_WHT: gone meanwhile; never DT_UNKNOWN
};
// All but "." and "..", in no order. Errors: io (also: the descriptor is none; errno says why).
Result<std::vector<FolderEntry>> entries_in(Fd folder);
// Errors: not_found, refused, io.
Result<std::vector<FolderEntry>> entries_in(const std::string& folder);

// Gives a file or folder another name, but never one that is taken (EEXIST). 0, or what errno says. Where flags of renameat2 are
// not known (some network and FUSE file systems) a link never replaces, and what cannot be linked is at worst renamed over an
// empty folder, or over a file that came in this very moment.
int rename_new(int from, const std::string& name, int to, const std::string& new_name);

// A file system that cannot sync folders has nothing to lose there. `path` is for people.
Result<void> sync_open_folder(int folder, std::string_view path);

}  // namespace holdfast
