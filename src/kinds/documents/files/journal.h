#pragma once

// What was done to the files of a library, and what is being done: state/journal.jsonl.
//
// One line says all that an operation will do. It is written before the first byte is written anywhere, and synced before the
// first document changes; another one says how it ended. A line that has no end is an operation at work or one that a crash left;
// recover_library (document_file.h) knows which. Ended operations stay as history: what undo reads. Lines are appended in one
// write and begin with the line feed, so that the remains of a write that a crash cut never swallow the next line.
//
// Any thread, any number of processes.

#include "base/files/fd.h"
#include "base/run/clock.h"
#include "kinds/documents/files/document_file.h"

#include <functional>
#include <future>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::documents {

struct JournaledStep {
  FileStep::Kind kind = FileStep::Kind::replace;
  std::string key;                   // the document's, as it was before the operation
  std::string to;                    // key behind a rename
  std::string before, after;         // versions; "" where there is none
  std::string trash;                 // id, of what goes to the trash
  std::vector<std::string> parents;  // keys of folders that were missing, outermost first
  std::string temporary;             // key of the file beside it: new bytes, or the old ones once they changed places
  std::uint64_t inode = 0;           // of what is renamed; 0 when it is rewritten, too: then its versions tell
                                     // (a device's number may be another one after a reboot)
};

struct JournaledOperation {
  // committed: all has happened, but old bytes may still lie beside; only of several steps.
  enum class End { open, committed, done, undone } end = End::open;
  std::string id;  // o_ and 16 characters
  Millis time = 0;
  JournalNote note;
  std::vector<JournaledStep> steps;
};

// By its id. Errors: not_found, io.
Result<JournaledOperation> find_operation(Library& library, std::string_view id);
// Those of this library that happened with one of these actions (none: any), newest first, until `take` answers false. Errors:
// io.
Result<void> visit_happened(Library& library, std::initializer_list<std::string_view> actions,
                            const std::function<bool(JournaledOperation&)>& take);
// So many of them at most, with this action ("": any). Errors: io.
Result<std::vector<JournaledOperation>> list_operations(Library& library, std::string_view action, std::size_t limit);

// An operation that is at work as long as this lives: its line is in the journal, and a lock says that its owner is alive.
class OperationAtWork {
 public:
  // Errors: io. Nothing may have been done before. The line is written, and being synced: await_sync says when it is, so that
  // the disk can do that together with the new files.
  static Result<OperationAtWork> begin(Library& library, JournaledOperation operation);
  Result<void> await_sync();
  // Takes over those that crashes left, of this library.
  static Result<std::vector<OperationAtWork>> adopt_abandoned(Library& library);

  const JournaledOperation& operation() const { return operation_; }
  // Says how it ended, or that it is committed; synced, so that no power cut makes it look unfinished, unless somebody who finds
  // it unfinished could do no harm.
  Result<void> end(JournaledOperation::End how, bool synced);

 private:
  OperationAtWork(Fd lock, Fd journal, JournaledOperation operation)
      : lock_(std::move(lock)), journal_(std::move(journal)), operation_(std::move(operation)) {}
  Fd lock_, journal_;
  JournaledOperation operation_;
  std::future<int> syncing_;  // errno; it is waited for before journal_ is closed
};

// Whether a living process works on it, or recovery still has to.
bool is_unfinished(Library& library, std::string_view id);

// Puts a long journal aside (journal-<id>.jsonl), when nobody is at work. Only recovery calls it, so that the others never wait.
Result<void> rotate_journal(Library& library);

}  // namespace holdfast::documents
