// Changes of the record that are the same for every kind, and notes: operations of the table. What destroys is in
// session_gate.cpp.

#include "operations/table.h"
#include "session/kinds.h"
#include "tools/session/core_operations.h"

#include <fmt/format.h>

namespace holdfast::tools {

void add_change_operations(SessionOperations& operations) {
  // Lists are filtered by a status; a change of it belongs to the kinds that have their own `update`.
  const auto no_status = [](const SessionCall& call) -> Result<void> {
    if (!call.arguments().contains("status")) return {};
    return fail(ErrorKind::invalid, fmt::format("the status of a {} session cannot be set here", call.record->kind), {},
                "invalid_argument");
  };
  for (const operations::Operation& each : operations::changing_operations())
    operations.add(each, {}, each.name == "sessions update" ? SessionOperations::Check(no_status) : SessionOperations::Check());
  for (const operations::Operation& each : operations::note_operations()) {
    operations.add(each);
    operations.add(each, std::string(session::kTranscript));
  }
}

}  // namespace holdfast::tools
