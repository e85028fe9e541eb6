#pragma once

// What a change of many files must have on the disk before its next step: the bytes of new files, and the folders in which names
// came or went, each synced once.
//
// A few files are synced one by one, because the disk may have more of others to write than of us; of more than `each` the file
// systems they lie on are synced as wholes (1,000 files of 1 KiB on ext4: 0.06 s against 7 s). One thread.

#include "base/files/fd.h"
#include "base/result.h"

#include <sys/types.h>

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace holdfast {

class SyncSet {
 public:
  explicit SyncSet(std::size_t each) : each_(each) {}

  // A file that is written; it may be closed and renamed before it is synced. Errors: io.
  Result<void> add(const Fd& file);
  // Those that were added. Where file systems are synced as wholes, also whatever else has changed there by now, names included,
  // and every time it is called. Errors: io.
  Result<void> sync();
  bool syncs_wholes() const { return !file_systems_.empty(); }

  // A folder in which a name came or went.
  void touch(std::string_view folder) { folders_.emplace(folder); }
  void forget_folders() { folders_.clear(); }
  // Those that were touched, as `open` opens them; one that is not_found has been taken away again. Errors: io, those of `open`.
  Result<void> sync_folders(const std::function<Result<Fd>(const std::string& folder)>& open);

 private:
  const std::size_t each_;
  std::vector<Fd> files_;
  std::map<dev_t, Fd> file_systems_;  // something open in each
  std::set<std::string> folders_;
};

}  // namespace holdfast
