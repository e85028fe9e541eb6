#include "kinds/research/engine/evidence.h"
#include "kinds/research/run/budget.h"
#include "kinds/research/run/find_run.h"
#include "kinds/research/run/job.h"
#include "kinds/research/run/run.h"
#include "session/kinds.h"
#include "session/limits.h"

#include <algorithm>

namespace holdfast::research {

namespace {

constexpr std::int64_t kPollWhileWorking = 5, kPollWhileWaiting = 15;  // seconds

std::int64_t count_in(const JsonObject& data, std::string_view key) {
  return find_int(data, key).value_or(0);
}

void copy(const JsonObject& from, std::string_view key, JsonObject& to) {
  if (const Json* value = find(from, key)) to[key] = *value;
}

bool is_working(const session::SessionRecord& record) {
  return record.status == "started" || record.status == "in_progress";
}

JsonObject budgets_of(const Limits& limits, const Usage& used) {
  const auto pair = [](std::int64_t limit, std::int64_t use) { return JsonObject{{"limit", limit}, {"used", use}}; };
  return {{"task_timeout", pair(limits.task_timeout, used.active_ms / 1000)},
          {"max_tokens_total", pair(limits.max_tokens_total, used.tokens.in + used.tokens.out)},
          {"max_llm_calls", pair(limits.max_llm_calls, used.llm_calls)},
          {"max_search_calls", pair(limits.max_search_calls, used.search_calls)}};
}

// As kept, but with the time as all times are told.
JsonArray shown_attempts(JsonArray attempts) {
  for (Json& attempt : attempts) {
    if (!attempt.is_object()) continue;
    if (const auto until = find_int(attempt.get_object(), "until")) attempt.get_object()["until"] = iso8601(*until);
  }
  return attempts;
}

Result<bool> has_worker(session::Reader& reader, std::string_view id) {
  HF_TRY(auto lease, reader.lease(lease_name(id)));
  return lease && !session::is_over(*lease, session::lease_time_now());
}

}  // namespace

Result<JsonObject> Research::status(std::string_view principal, std::string_view id) {
  HF_TRY(const session::SessionRecord record, find_run(tools_.store, principal, id));
  HF_TRY(const bool held, has_worker(tools_.store, id));
  const JsonObject& data = record.data;
  const Job job = read_job(record);
  const Millis now = tools_.clock ? tools_.clock->now() : SystemClock().now();
  const bool working = is_working(record);
  const bool alive = held && working;
  const Millis progress_at = find_int(data, "last_progress_at").value_or(record.created_at);
  const Millis age = std::max<Millis>(0, now - progress_at);
  Usage used = read_usage(data);
  // What the worker has used since its last commit is not written yet.
  if (alive) used.active_ms += std::max<Millis>(0, now - std::max(progress_at, find_int(data, "working_since").value_or(0)));
  const bool stalled = record.status == "in_progress" && !alive;

  JsonObject status{{"research_id", record.id},
                    {"query", job.query},
                    {"title", record.title},
                    {"status", record.status},
                    {"visibility", session::name_of(record.visibility)},
                    {"phase", text_in(data, "phase")},
                    {"iteration", count_in(data, "iteration")},
                    {"max_iterations", job.limits.max_iterations}};
  status["sub_queries"] = JsonObject{{"total", 0}, {"completed", 0}, {"failed", 0}};
  copy(data, "sub_queries", status);
  status["failed_sub_queries"] = JsonArray{};
  copy(data, "failed_sub_queries", status);
  for (const std::string_view count : {"source_count", "finding_count", "gap_count", "contradiction_count", "progress_percent"})
    status[count] = count_in(data, count);
  const bool unknown = !working || !find(data, "last_progress_at");
  status["progress_signal"] = unknown ? "unknown" : age > tools_.stale_after ? "stale" : "active";
  status["last_progress_at"] = iso8601(progress_at);
  status["last_progress_event"] = text_in(data, "last_progress_event");
  status["progress_age_ms"] = age;
  status["phase_started_at"] = iso8601(find_int(data, "phase_started_at").value_or(record.created_at));
  status["worker_alive"] = alive;
  status["stalled"] = stalled;
  status["elapsed_ms"] = used.active_ms;
  status["time_remaining_s"] = std::max<std::int64_t>(0, job.limits.task_timeout - used.active_ms / 1000);
  status["budgets"] = budgets_of(job.limits, used);
  status["tokens"] = {{"in", used.tokens.in}, {"out", used.tokens.out}, {"estimated", used.tokens.estimated}};
  copy(data, "error", status);
  status["attempts"] = JsonArray{};
  if (const JsonArray* attempts = find_array(data, "attempts")) status["attempts"] = shown_attempts(*attempts);
  status["resumable"] = record.status != "completed";
  status["has_report"] = find_bool(data, "has_report").value_or(false);
  status["partial"] = find_bool(data, "partial").value_or(false);
  copy(data, "warnings", status);
  const std::string reason = text_in(data, "stop_reason");
  if (stalled)
    status["stop_reason"] = reason.empty() ? "crash" : reason;
  else if (!reason.empty())
    status["stop_reason"] = reason;
  status["next_poll_s"] = alive ? kPollWhileWorking : working ? kPollWhileWaiting : 0;
  return status;
}

Result<std::vector<std::string>> Research::abandoned() {
  std::vector<std::string> ids;
  session::Query query;
  query.kinds = {std::string(session::kResearch)};
  query.statuses = {"started", "in_progress"};
  query.sort = session::Sort::created;
  query.limit = session::kMaxListLimit;
  while (true) {
    HF_TRY(session::Page page, tools_.store.list(query));
    for (const session::SessionRecord& record : page.items) {
      if (record.damage) continue;
      HF_TRY(const bool held, has_worker(tools_.store, record.id));
      if (!held) ids.push_back(record.id);
    }
    if (page.next_cursor.empty()) break;
    query.cursor = page.next_cursor;
  }
  std::ranges::reverse(ids);  // who waits longest comes first
  return ids;
}

void add_item_fields(const session::SessionRecord& record, JsonObject& item) {
  item["source_count"] = count_in(record.data, "source_count");
  item["progress_percent"] = count_in(record.data, "progress_percent");
}

}  // namespace holdfast::research
