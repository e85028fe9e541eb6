#pragma once

// One file of the library: read whole, replaced whole (document-review §8).
//
// Replacing compares once more right before the rename and gives up (conflict) when somebody saved meanwhile; the caller reads
// again and decides anew. Mode and owner are kept; through an inner link the target is replaced, not the link. Every replacement
// is in the journal before it happens, so that a crash leaves either the old or the new file and no temporary one.

#include "base/clock.h"
#include "base/hash.h"
#include "documents/library.h"

#include <chrono>
#include <string>
#include <string_view>

namespace holdfast::documents {

inline constexpr std::size_t kMaxDocumentBytes = 8 * 1024 * 1024;
inline constexpr std::chrono::seconds kLockPatience{5};
inline constexpr int kWriteTries = 3;

struct FileState {
  std::string bytes;
  std::string version;  // hex SHA-256 of the bytes
  std::uint64_t inode = 0, size = 0;
  std::int64_t modified_ns = 0;
};

// Held across processes while a document is changed. Errors: unavailable (somebody holds it longer than kLockPatience).
class DocumentLock {
 public:
  static Result<DocumentLock> take(Library& library, const Place& place);

 private:
  explicit DocumentLock(Fd file) : file_(std::move(file)) {}
  Fd file_;
};

// Errors: not_found, invalid with code not_text (invalid UTF-8, NUL), too_large, refused (a special file).
Result<FileState> read_document(Library& library, const Place& place);

struct JournalNote {
  std::vector<std::string> change_ids;
  std::string who;  // short hash of a handle, or a person
};
// Under the lock. conflict: the file is not `expected` any more.
Result<FileState> replace_document(Library& library, const Place& place, const FileState& expected, std::string_view bytes,
                                   const JournalNote& note);
// Makes parents. Errors: conflict with code exists.
Result<FileState> create_document(Library& library, const Place& place, std::string_view bytes, const JournalNote& note);

// Finishes or takes back what a crash left; removes temporary files. At start, before anything else.
Result<void> recover_library(Library& library);

}  // namespace holdfast::documents
