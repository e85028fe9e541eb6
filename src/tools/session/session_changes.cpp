// Changes of the record that are the same for every kind, and notes: operations of the table. What destroys is in
// session_gate.cpp.

#include "operations/table.h"
#include "session/kinds.h"
#include "tools/session/core_operations.h"

namespace holdfast::tools {

void add_change_operations(SessionOperations& operations) {
  for (const operations::Operation& each : operations::changing_operations()) operations.add(each);
  for (const operations::Operation& each : operations::note_operations()) {
    operations.add(each);
    operations.add(each, std::string(session::kTranscript));
  }
}

}  // namespace holdfast::tools
