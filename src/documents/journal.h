#pragma once

// What was done to the files of a library, and what is being done: state/journal.jsonl.
//
// One line says all that an operation will do, and is synced before the first byte is written anywhere; another one says how it
// ended. A line that has no end is an operation at work or one that a crash left; recover_library (document_file.h) knows which.
// Ended operations stay as history: what undo reads. Lines are appended in one write and begin with the line feed, so that the
// remains of a write that a crash cut never swallow the next line.
//
// Any thread, any number of processes.

#include "base/clock.h"
#include "documents/document_file.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::documents {

struct JournaledStep {
  FileStep::Kind kind = FileStep::Kind::replace;
  std::string key;                      // the document's, as it was before the operation
  std::string to;                       // key behind a rename
  std::string before, after;            // versions; "" where there is none
  std::string trash;                    // id, of what goes to the trash
  std::string temporary;                // key of the file beside it: new bytes, or the old ones once they changed places
  std::uint64_t device = 0, inode = 0;  // of what is renamed
};

struct JournaledOperation {
  enum class End { open, done, undone } end = End::open;
  std::string id;  // o_ and 16 characters
  Millis time = 0;
  JournalNote note;
  std::vector<JournaledStep> steps;
};

// By its id. Errors: not_found, io.
Result<JournaledOperation> find_operation(Library& library, std::string_view id);
// Those of this library that were done, newest first, with this action ("": any). Errors: io.
Result<std::vector<JournaledOperation>> list_operations(Library& library, std::string_view action, std::size_t limit);

}  // namespace holdfast::documents
