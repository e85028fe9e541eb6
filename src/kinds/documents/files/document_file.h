#pragma once

// Files of the library: read whole, changed whole (document-review §8).
//
// A change is a list of steps that happen all or not at all. The journal says first what will happen (journal.h); new bytes are
// written and synced beside their target; then every target is compared once more with what the caller saw, at the moment at
// which it changes places with them. When somebody saved meanwhile nothing has happened (conflict): the caller reads again and
// decides anew. Mode, owner and extended attributes are kept, or the change is refused; through an inner link the target is
// replaced, not the link (places are resolved). A crash leaves every file old or new: recover_library finishes an operation where
// every file is still as it was before or behind it, takes it back otherwise, never touches what a person saved meanwhile, and
// removes temporary files.

#include "base/files/file_mark.h"
#include "kinds/documents/files/library.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::documents {

class TextVersions;

inline constexpr std::size_t kMaxDocumentBytes = 8 * 1024 * 1024;
inline constexpr std::chrono::seconds kLockPatience{5};
inline constexpr int kWriteTries = 3;

struct FileState {
  std::string bytes;
  std::string version;  // hex SHA-256 of the bytes
  std::uint64_t device = 0, inode = 0, size = 0;
  std::int64_t modified_ns = 0;
  std::uint64_t names = 1;  // hard links: others keep the old bytes when this one is replaced
};

// What the file system knows of a file, by which a change is noticed without reading it.
inline void stamp(FileState& state, const struct stat& status) {
  state.device = status.st_dev;
  state.inode = status.st_ino;
  state.size = static_cast<std::uint64_t>(status.st_size);
  state.modified_ns = mark_of(status).mtime_ns;
  state.names = status.st_nlink;
}

inline bool same_stamp(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && mark_of(a) == mark_of(b);
}

inline bool same_stamp(const FileState& state, const struct stat& status) {
  return state.device == status.st_dev && FileMark{state.inode, state.size, state.modified_ns} == mark_of(status);
}

// Held while a document is changed, by at most one process and thread. Who needs several takes them in the order of their keys.
// Errors: unavailable (somebody holds it longer than kLockPatience).
class DocumentLock {
 public:
  static Result<DocumentLock> take(Library& library, std::string_view key);
  // In one order, so that two never wait for each other.
  static Result<std::vector<DocumentLock>> take_all(Library& library, const std::set<std::string>& keys);

 private:
  explicit DocumentLock(Fd file) : file_(std::move(file)) {}
  Fd file_;
};

// Errors: not_found (no_such_document), invalid with code not_text (invalid UTF-8, NUL, a folder, a special file), too_large
// (more than max_bytes). `known` saves hashing what was read before.
Result<FileState> read_document(Library& library, const Place& place, std::size_t max_bytes = kMaxDocumentBytes,
                                TextVersions* known = nullptr);

struct FileStep {
  enum class Kind { replace, create, rename, trash } kind = Kind::replace;
  Place place;
  Place to;            // of a rename: a file or a folder, to a place that is not there
  FileState expected;  // of replace and trash: `version` says which bytes; where they are at hand, too (or none: then hashes
                       // are compared, which takes five times as long)
  std::string bytes;   // of replace and create; at most kMaxDocumentBytes
  unsigned mode = 0;   // of create; 0: as the umask says
};

struct JournalNote {
  std::string action;                   // edit, create, move, undo, accept, reject, delete, restore
  std::vector<std::string> change_ids;  // what the steps are about
  std::string who;                      // short hash of a handle, or a person's name
  std::string undoes = {};              // of an undo: id of the operation that it took back
};

struct Applied {
  std::string journal;             // id of the journal's line
  std::vector<FileState> states;   // one a step; of what stands there now, without bytes; a rename has no version
  std::vector<std::string> trash;  // ids of what was put into the trash (trash.h)
};

// Under the locks of all places, which are meant as they are before: renames happen last, whatever the order of the steps. So the
// own links of a document that moves are rewritten by a replace at its old place. Missing parents are made. `first` is what has
// to be durable before anybody could make the change, also who finds it unfinished; it may run although nothing happens in the
// end. Errors: conflict (a target is not as expected, or exists), too_large, read_only, io, refused, those of `first`; nothing
// has happened then.
Result<Applied> apply_steps(Library& library, const std::vector<FileStep>& steps, const JournalNote& note,
                            const std::function<Result<void>()>& first = {});

// Finishes or takes back what crashes left; removes temporary files. Safe beside others at work. At start, before anything else.
// What cannot be recovered now (a document is locked) is logged and left for the next time. Errors: io (the journal).
Result<void> recover_library(Library& library);

}  // namespace holdfast::documents
