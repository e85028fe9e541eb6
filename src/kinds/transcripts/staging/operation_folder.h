#pragma once

// The folders in which one operation keeps what it has in hand, and the lock that says its process lives.
//
// <home>/.holdfast/<operation>/ with the journal; where a destination is on another file system, one more folder there
// (".holdfast-<operation>"), because files are only ever renamed. Names inside are "new-<n>", "folder-<n>" and "old-<n>".
// Everything here disappears when the operation ends, ".holdfast" itself, too.
//
// One thread at a time.

#include "kinds/transcripts/home/home.h"
#include "kinds/transcripts/staging/journal.h"

#include <map>

namespace holdfast::transcripts {

inline constexpr std::string_view kOperationsFolder = ".holdfast";

// Mount and device: files can be renamed between folders where both agree. (Two bind mounts of one disk cannot, nor can two
// subvolumes of one mount.)
struct FileSystemKey {
  std::uint64_t mount = 0;
  dev_t device = 0;
  bool operator==(const FileSystemKey&) const = default;
};

class OperationFolder {
 public:
  // New, with an empty journal that is locked.
  static Result<OperationFolder> create(const Home& home, std::string_view what);
  // One that was left behind; nullopt when its process lives, or somebody else has just dealt with it. The caller holds
  // the lock of OperationsLock.
  static Result<std::optional<OperationFolder>> adopt(const Home& home, const std::string& operation);

  const std::string& name() const { return name_; }
  const JournalContent& left_behind() const { return left_behind_; }  // of an adopted one

  Result<void> append(const std::string& journal_lines);
  Result<void> sync_journal();  // and the names on the way to it

  Result<void> sync_parts();  // the names in them

  // Which part is on the file system that `path` is, or will be, on; made when there is none.
  Result<std::size_t> part_for(const std::string& path);
  std::size_t parts() const { return parts_.size(); }
  // -1: the part was never made.
  int part(std::size_t number) const { return parts_[number].folder.get(); }
  dev_t device(std::size_t number) const { return parts_[number].key.device; }

  // With everything in it. What cannot be removed stays for the next recovery.
  Result<void> erase();

 private:
  struct Part {
    Fd folder;
    std::string path;  // below the home; empty for part 0
    FileSystemKey key;
  };
  OperationFolder(const Home& home, std::string name) : home_(home), name_(std::move(name)) {}
  static Result<OperationFolder> try_create(const Home& home, const std::string& name);
  Result<void> add_part(const std::string& parent, const FileSystemKey& key);
  Result<Part> open_part(std::string path) const;

  Home home_;
  std::string name_;
  Fd operations_;  // ".holdfast"
  Fd journal_;
  bool named_ = false;  // the names on the way to the journal are synced
  std::vector<Part> parts_;
  std::map<std::string, std::size_t, std::less<>> part_of_folder_;
  JournalContent left_behind_;
};

// Held while operations begin and while the dead are dealt with: a folder without a locked journal is then a dead one.
class OperationsLock {
 public:
  // nullopt: there are no operations.
  static Result<std::optional<OperationsLock>> acquire(const Home& home);
  int folder() const { return folder_.get(); }
  Result<std::vector<std::string>> operations() const;  // names, sorted: the oldest of a kind first

 private:
  explicit OperationsLock(Fd folder) : folder_(std::move(folder)) {}
  Fd folder_;
};

// ".holdfast" goes when nothing is in it; not while others are at work, then theirs is the last.
void remove_operations_folder(const Home& home);

// The folder that a path lies in; for a path of one name that is the home itself.
Result<Fd> open_parent(const Home& home, std::string_view path);
std::string_view parent_of(std::string_view path);  // "" for a path of one name
// The home ("") and every folder below it on the way to the path, from the top.
std::vector<std::string_view> folders_above(std::string_view path);
std::string last_name_of(std::string_view path);

}  // namespace holdfast::transcripts
