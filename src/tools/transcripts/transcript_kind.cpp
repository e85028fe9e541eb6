// The kind `transcript` of the session tool. Its sessions are files of another program: they are found and summarised anew for
// every call, and what would change them is left to the tools that make a backup first.

#include "catalogue/files.h"
#include "operations/table.h"
#include "session/kinds.h"
#include "tools/call_context.h"
#include "tools/session/session_operations.h"

namespace holdfast::tools {

namespace {

using session::SessionRecord;
using transcripts::Keeper;

Result<SessionAnswer> answer_get(const Keeper& keeper, SessionCall& call) {
  HF_TRY(const auto info, catalogue::describe(keeper, *call.found));
  return SessionAnswer{{{"session", call.operations.item(*call.record, call.now)}, {"transcript", to_json(info)}}};
}

Result<SessionAnswer> answer_verify(const Keeper& keeper, SessionCall& call) {
  HF_TRY(const auto report, catalogue::verify(keeper, *call.found));
  JsonObject state = to_json(report);
  state["sessionId"] = call.record->id;
  return SessionAnswer{std::move(state)};
}

Result<SessionAnswer> refuse_delete(SessionCall&) {
  return fail(ErrorKind::refused, "a transcript belongs to the client that wrote it, and is not deleted here",
              "use the tool delete_session: it makes a backup first");
}

}  // namespace

void add_transcript_kind(SessionOperations& operations, const Keeper& keeper) {
  using enum SessionOperation::Session;
  const std::string kind(session::kTranscript);
  operations.add_outside(kind);
  operations.add(*operations::find_operation("sessions list"), kind);
  operations.add({"get", kind, required, [&keeper](SessionCall& call) { return answer_get(keeper, call); }});
  operations.add({"verify", kind, required, [&keeper](SessionCall& call) { return answer_verify(keeper, call); }});
  operations.add({"delete", kind, required, refuse_delete});
}

}  // namespace holdfast::tools
