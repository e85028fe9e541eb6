#include "tools/research/research_wait.h"

#include "base/run/log.h"
#include "operations/research/research_facts.h"
#include "tools/research/research_envelope.h"

#include <fmt/format.h>

#include <chrono>

namespace holdfast::tools {

namespace {

using session::SessionRecord;
using Time = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kLookAtRun{250};  // another process may be at work, and it does not tell us
constexpr std::chrono::seconds kReportEvery{1};       // §11: at most one progress notification a second

bool is_over(const SessionRecord& record) {
  return record.status == "completed" || record.status == "failed" || record.status == "cancelled" ||
         record.visibility == session::Visibility::deleted;
}

struct Seen {
  std::int64_t percent;
  std::string message;
};

Seen look_at(const SessionRecord& record) {
  JsonObject item;
  research::add_item_fields(record, item);
  const std::string phase(find_string(record.data, "phase").value_or(""));
  return {find_int(item, "progress_percent").value_or(0), phase.empty() ? record.status : phase};
}

std::string task_message(const std::string& id, const Seen& seen) {
  return fmt::format("{}: {}, {}%", id, seen.message, seen.percent);
}

Error failure_of(const SessionRecord& record) {
  const JsonObject* error = find_object(record.data, "error");
  const std::string code(error ? find_string(*error, "code").value_or("") : "");
  const std::string message(error ? find_string(*error, "message").value_or("") : "");
  return make_error(ErrorKind::unavailable, message.empty() ? fmt::format("{} failed", record.id) : message,
                    "deep-research with deep_research_action resume goes on where it was",
                    code.empty() ? "INTERNAL_ERROR" : code);
}

Result<ResearchAnswer> outcome_of(session::Store& store, research::Research& research, const std::string& id) {
  HF_TRY(const SessionRecord record, store.get(id));
  ResearchAnswer answer;
  HF_TRY(answer.data, operations::run_facts(research, record));
  if (record.status == "failed") answer.failure = failure_of(record);
  return answer;
}

}  // namespace

Result<ResearchAnswer> wait_for_run(ResearchCall& call, const std::string& id) {
  const ResearchRooms& rooms = call.rooms;
  HF_TRY(research::Research* const research, call.context.research());
  HF_TRY(const bool is_task, call.call.become_task(fmt::format("{}: started", id), JsonObject{{kTaskRun, id}}, true));
  const bool reports = call.call.request_meta().contains("progressToken");
  auto patience = rooms.wait_timeout;
  if (auto seconds = find_int(call.arguments(), "wait_timeout_s")) patience = std::chrono::seconds(*seconds);
  const bool without_end = is_task || (reports && !call.arguments().contains("wait_timeout_s"));
  const Time::time_point until = Time::now() + patience;
  Time::time_point reported = Time::now();
  Seen last{-1, {}};
  for (;;) {
    HF_TRY(const SessionRecord record, call.store.get(id));
    if (is_over(record) || rooms.workers.stopping()) break;
    if (call.call.cancelled()) {
      // Of a task it means the work itself; of a call only that nobody waits any more.
      if (is_task)
        if (auto done = research->cancel(call.principal(), id); !done)
          log(LogLevel::warn, "tools", id + " was not cancelled: " + done.error().message);
      break;
    }
    if (!without_end && Time::now() >= until) break;
    if (Time::now() - reported >= kReportEvery) {
      const Seen seen = look_at(record);
      if (is_task && (seen.percent != last.percent || seen.message != last.message))
        call.call.task_status(task_message(id, seen));
      if (!is_task) call.call.progress(static_cast<double>(seen.percent), 100, seen.message);
      last = seen;
      reported = Time::now();
    }
    if (rooms.workers.has(id))
      rooms.workers.wait(id, kLookAtRun);
    else
      call.call.wait_for(kLookAtRun);
  }
  return outcome_of(call.store, *research, id);
}

mcp::Tasks::Survivors surviving_runs(const ResearchRooms& rooms) {
  const auto run_of = [](const JsonObject& row) {
    const JsonObject* meta = find_object(row, "_meta");
    return std::string(meta ? find_string(*meta, kTaskRun).value_or("") : "");
  };
  mcp::Tasks::Survivors survivors;
  survivors.refresh = [&rooms, run_of](const Identity& owner, JsonObject& row) {
    session::StoreView store(rooms.stores, owner);
    const std::string id = run_of(row);
    auto record = store.get(id);
    if (!record || record->principal != owner.principal || record->visibility == session::Visibility::deleted ||
        record->status == "cancelled") {
      row["status"] = "cancelled";
      return;
    }
    if (!is_over(*record)) {
      row["statusMessage"] = task_message(id, look_at(*record));
      return;
    }
    auto answer = outcome_of(store, *rooms.calls.open(store).research, id);
    if (!answer) return;
    mcp::ToolResult result = settled_envelope(rooms, std::move(*answer));
    row["status"] = "completed";
    row["result"] = JsonObject{{"content", std::move(result.content)}, {"structuredContent", std::move(*result.structured)}};
    if (result.is_error) row["result"].as_object()["isError"] = true;
  };
  survivors.cancel = [&rooms, run_of](const Identity& owner, const JsonObject& row) {
    session::StoreView store(rooms.stores, owner);
    if (auto done = rooms.calls.open(store).research->cancel(owner.principal, run_of(row)); !done)
      log(LogLevel::warn, "tools", run_of(row) + " was not cancelled: " + done.error().message);
  };
  return survivors;
}

}  // namespace holdfast::tools
