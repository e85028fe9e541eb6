#pragma once

// The steps between the state before an operation and the state after it. Each can be repeated, so that whoever died in the
// middle is followed by somebody who begins at the front.
//
// Nothing is ever replaced, and nothing is removed that is not what the journal describes: same file system, inode, size and
// time.

#include "base/files/sync_set.h"
#include "kinds/transcripts/staging/operation_folder.h"

namespace holdfast::transcripts {

// What a folder must let us do while things go in and out of it, whatever its mode is in the end.
inline constexpr mode_t kOwnerAll = 0700;

class Steps {
 public:
  Steps(const Home& home, OperationFolder& folder, const JournalContent& plan) : home_(home), folder_(folder), plan_(plan) {}

  // All but the last file are in place and synced before the last one appears: whoever sees that one sees all. Errors: conflict
  // (a path exists), io.
  Result<void> place();
  // The first file goes first. Errors: conflict (one has changed, or is gone).
  Result<void> take();
  // Puts back and removes as far as it gets; the error is the first met, and then the operation's folder must stay.
  Result<void> undo();
  // Removes what was taken, and folders that are empty now. What was changed since stays where it is.
  Result<void> finish();

  // The last of the new files is in place, and maybe somebody has worked with it since.
  struct LastPlaced {
    bool in_place = false;
    bool changed = false;
  };
  Result<LastPlaced> last_placed();

  const std::vector<std::string>& removed_folders() const { return removed_folders_; }

 private:
  Result<int> parent(const std::string& path);  // stays open until the next call
  Result<std::optional<struct stat>> look(const std::string& path, std::size_t part);
  Result<void> place_folder(const NewFolder& folder);
  Result<void> place_file(const JournaledFile& file);
  Result<void> take_file(const OldFile& file);
  Result<void> set_modes(bool final);
  Result<void> put_back(const OldFile& file);
  Result<void> withdraw(const JournaledFile& file);
  Result<void> withdraw(const NewFolder& folder);
  Result<void> remove_if_still_there(const OldFile& file);
  Result<void> remove_if_empty(const std::string& path);
  Result<void> sync_touched();

  const Home& home_;
  OperationFolder& folder_;
  const JournalContent& plan_;
  std::string parent_path_;
  Fd parent_;
  SyncSet syncs_{0};  // of folders alone
  std::vector<std::string> removed_folders_;
};

std::string staged_name(std::string_view what, std::size_t number);  // "new-7"

}  // namespace holdfast::transcripts
