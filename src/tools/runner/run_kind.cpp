// The kind `run` of the `session` tool. `get` shows all entries, as of every kind: the tasks, what the model said, calls with
// their whole results.

#include "kinds/runner/run_export.h"
#include "session/kinds.h"
#include "tools/runner/run_call.h"

#include <fmt/format.h>

namespace holdfast::tools {

namespace {

Result<SessionAnswer> where_it_stands(SessionCall& call) {
  HF_TRY(const runner::RunReport report, runner::read_report(call.store, call.record->id));
  JsonObject state = runner::report_json(report);
  state["session"] = call.operations.item(*call.record, call.now);
  if (report.status == "interrupted") state["hint"] = how_to_go_on(report.id);
  return SessionAnswer{std::move(state)};
}

Result<SessionAnswer> cancel_task_run(SessionCall& call) {
  HF_CHECK(runner::cancel_run(call.store, call.record->id, call.principal()));
  HF_TRY(const session::SessionRecord record, call.store.get(call.record->id));
  return SessionAnswer{{{"sessionId", record.id}, {"session", call.operations.item(record, call.now)}}};
}

Result<SessionAnswer> export_task_run(SessionCall& call) {
  const std::string format(find_string(call.arguments(), "format").value_or("markdown"));
  HF_TRY(const std::string content, runner::export_report(call.store, call.record->id, format));
  return SessionAnswer{{{"sessionId", call.record->id}, {"format", format}, {"content", content}}};
}

}  // namespace

void add_run_kind(SessionOperations& operations) {
  using enum SessionOperation::Session;
  const std::string kind(session::kRun);
  operations.add({"resume", kind, required, where_it_stands, Scope::read});
  operations.add({"cancel", kind, required, cancel_task_run});
  operations.add({"export", kind, required, export_task_run, Scope::read});
  operations.add_argument("format", {{"type", "string"}});
}

}  // namespace holdfast::tools
