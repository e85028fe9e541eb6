// What a run tells of itself: how far it is, and what came out (threads-and-research §10, §11).

#include "kinds/research/engine/evidence.h"
#include "kinds/research/engine/report_text.h"
#include "kinds/research/run/job.h"
#include "kinds/research/run/run.h"
#include "kinds/research/run/run_state.h"
#include "session/kinds.h"
#include "session/limits.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

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

namespace {

// Each as it is kept, with what stands beside it in its entry.
template <class Item, class Add>
JsonArray list_of(const std::vector<Item>& items, const Add& add) {
  JsonArray list;
  for (const Item& item : items) {
    JsonObject shown = json_of(item);
    add(item, shown);
    list.push_back(std::move(shown));
  }
  return list;
}

JsonObject check_of(const CitationCheck& check, const RunState& state) {
  std::int64_t verified = 0, unverified = 0;
  for (const Finding& finding : state.findings)
    for (const Quote& quote : finding.quotes) ++(quote.verified ? verified : unverified);
  return {{"cited", check.cited},
          {"dangling_removed", check.dangling_removed},
          {"unreferenced", check.unreferenced},
          {"links_removed", check.links_removed},
          {"quotes_verified", verified},
          {"quotes_unverified", unverified}};
}

std::unexpected<Error> not_ready(const session::SessionRecord& record) {
  if (record.status != "started" && record.status != "in_progress")
    return fail(ErrorKind::refused, fmt::format("{} {} before it had anything to show", record.id, record.status),
                "deep-research with deep_research_action resume goes on with it", "REPORT_NOT_READY");
  return fail(ErrorKind::unavailable,
              fmt::format("{} has nothing to show yet: it is {}, {} %", record.id, record.status,
                          find_int(record.data, "progress_percent").value_or(0)),
              "deep-research-status says how far it is", "REPORT_NOT_READY");
}

}  // namespace

Result<JsonObject> Research::report(std::string_view principal, std::string_view id) {
  HF_TRY(const session::SessionRecord record, find_run(tools_.store, principal, id));
  HF_TRY(const RunState state, read_state(tools_.store, id));
  const Job job = read_job(record);
  const bool completed = record.status == "completed";
  StoredReport report;
  if (!state.reports.empty()) {
    report = state.reports.back();
  } else {
    if (completed && !state.damaged.empty())
      return fail(ErrorKind::corrupt, fmt::format("the report of {} is damaged", record.id),
                  "holdfast store verify says more; a backup may have it", "STORAGE_CORRUPT");
    if (state.sources.empty()) return not_ready(record);
    CheckedReport digest = check_citations(interim_digest(job, state), state.sources, job.query);
    report.text = std::move(digest.text);
    report.check = digest.check;
    report.engine = "extractive";
  }
  JsonArray sections;
  for (const Section& section : sections_of(report.text))
    sections.push_back(JsonObject{{"level", section.level}, {"title", section.title}});
  const Usage used = read_usage(record.data);
  JsonArray warnings = to_json_array(strings_in(record.data, "warnings"));
  for (const std::string& warning : report.warnings) warnings.emplace_back(warning);
  if (!state.damaged.empty())
    warnings.emplace_back(fmt::format("entries of this run are damaged and left out: {}", fmt::join(state.damaged, ", ")));
  JsonObject reply{
      {"research_id", record.id},
      {"status", record.status},
      {"report", report.text},
      {"partial", !completed || find_bool(record.data, "partial").value_or(false)},
      {"report_kind", completed               ? "final"
                      : state.reports.empty() ? "interim"
                                              : "draft"},
      {"engine", report.engine},
      {"empty", report.empty},
      {"truncated", report.truncated},
      {"sections", std::move(sections)},
      {"sources", list_of(state.sources, [](const Source&, JsonObject&) {})},
      {"findings", list_of(state.findings, [](const Finding& each, JsonObject& to) { to["content"] = each.content; })},
      {"contradictions",
       list_of(state.contradictions, [](const Contradiction& each, JsonObject& to) { to["description"] = each.description; })},
      {"gaps", list_of(state.gaps,
                       [](const Gap& each, JsonObject& to) {
                         to["description"] = each.description;
                         to["resolved"] = each.resolved;
                       })},
      {"citation_check", check_of(report.check, state)},
      {"stats",
       {{"iterations", state.iteration()},
        {"llm_calls", used.llm_calls},
        {"search_calls", used.search_calls},
        {"tokens", {{"in", used.tokens.in}, {"out", used.tokens.out}, {"estimated", used.tokens.estimated}}},
        {"duration_ms", used.active_ms}}},
      {"warnings", std::move(warnings)}};
  if (const std::string reason = text_in(record.data, "stop_reason"); !reason.empty()) reply["stop_reason"] = reason;
  return reply;
}

}  // namespace holdfast::research
