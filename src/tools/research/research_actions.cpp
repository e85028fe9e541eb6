// The actions of `research` (threads-and-research §3-§11, §13): each is an operation of the table, about a thread or a run that
// is named by its whole id, with the arguments that it takes. Waiting for a run is research_wait.cpp.

#include "operations/operation.h"
#include "operations/sessions/list_filters.h"
#include "operations/table.h"
#include "session/kinds.h"
#include "tools/research/research_tool.h"
#include "tools/research/research_wait.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace holdfast::tools {

namespace {

using session::SessionRecord;

constexpr std::int64_t kNextPoll = 5;  // seconds; a run takes longer than that

std::string_view kind_of(Subject subject) {
  if (subject == Subject::thread || subject == Subject::thread_if_named || subject == Subject::threads) return session::kThread;
  return subject == Subject::run || subject == Subject::runs ? session::kResearch : std::string_view();
}

// Its session, of this kind (empty: thread or research) and this caller. Errors: NOT_FOUND, DELETED (only when it must not be),
// GONE, STORAGE_CORRUPT.
Result<SessionRecord> session_of(const ResearchCall& call, const std::string& name, std::string_view kind, bool also_deleted) {
  auto record = call.store.get(name);
  if (!record && record.error().code == "gone") {
    HF_TRY(auto tombstone, call.store.tombstone(name));
    if (tombstone && tombstone->principal == call.principal())
      return fail(ErrorKind::not_found, fmt::format("{} was purged: nothing of it is left", name), {}, "GONE");
  }
  if (!record && record.error().kind != ErrorKind::not_found) return fail(std::move(record).error());
  // Another's session, and one of another kind, are no more there than one that never was.
  const bool fits = record && record->principal == call.principal() && (kind.empty() || record->kind == kind);
  if (!fits)
    return fail(ErrorKind::not_found, fmt::format("there is no {} {}", kind.empty() ? "session" : kind, name),
                "thread-list and deep-research-list show what there is", "NOT_FOUND");
  if (record->damage)
    return fail(ErrorKind::corrupt, fmt::format("{} is damaged: {}", name, *record->damage), "holdfast store verify says more",
                "STORAGE_CORRUPT");
  if (!also_deleted && record->visibility == session::Visibility::deleted)
    return fail(ErrorKind::refused, fmt::format("{} is deleted", name), "restore it first", "DELETED");
  return record;
}

// What the action is about, put into what the operation is given. Errors: those of session_of; MISSING_REQUIRED.
Result<void> name_subject(const ResearchCall& call, const ResearchAction& action, operations::Given& given) {
  if (action.subject == Subject::none) return {};
  const std::string_view kind = kind_of(action.subject);
  const auto found = std::ranges::find_if(kIdArguments, [&](std::string_view name) {
    return call.arguments().contains(name) && (kind.empty() || name == fmt::format("{}_id", kind));
  });
  std::vector<std::string> ids;
  if (found != kIdArguments.end()) ids.push_back(call.text(*found));
  const bool several = action.subject == Subject::threads || action.subject == Subject::runs;
  if (several)
    for (std::string& id : texts_in(call.arguments(), fmt::format("{}_ids", kind))) ids.push_back(std::move(id));
  if (ids.empty() && action.subject == Subject::thread_if_named) return {};
  if (ids.empty())
    return fail(ErrorKind::invalid,
                kind.empty() ? "thread_id or research_id is required" : fmt::format("{}_id is required", kind), {},
                "MISSING_REQUIRED");
  for (const std::string& id : ids) HF_CHECK(session_of(call, id, kind, action.also_deleted));
  given.set("session", Json(ids.front()));
  if (several) given.set("sessions", to_json_array(ids));
  return {};
}

// Without what the action adds to it. A move says which session it was in the words of its kind.
Result<JsonObject> facts_of_action(const ResearchCall& call, const ResearchAction& action) {
  const operations::Operation& operation = *operations::find_operation(action.operation);
  operations::Given given;
  for (const operations::Parameter& each : operation.parameters)
    if (const Json* value = find(call.arguments(), each.name)) given.set(each.name, *value);
  HF_CHECK(name_subject(call, action, given));
  auto facts = operation.run(call.context, given);
  if (!facts) {
    Error error = std::move(facts).error();
    operations::put_in_spelling_of(error, [](std::string_view name) { return std::string(name); });
    return fail(std::move(error));
  }
  const JsonObject* moved = find_object(*facts, "session");
  if (!moved || !facts->contains("changed")) return facts;
  const std::string id = text_in(*moved, "id");
  JsonObject data{{"id", id}, {fmt::format("{}_id", text_in(*moved, "type")), id}};
  for (const std::string_view name : {"changed", "session"}) data[name] = facts->at(name);
  if (action.operation == "sessions unarchive" && find_bool(data, "changed").value_or(false)) data["unarchived"] = true;
  return data;
}

Result<ResearchAnswer> perform(ResearchCall& call, const ResearchAction& action) {
  HF_TRY(JsonObject facts, facts_of_action(call, action));
  ResearchAnswer answer;
  answer.failure = operations::take_failure(facts);
  answer.warnings = texts_in(facts, "warnings");
  // A report's own warnings belong to it.
  if (operations::find_operation(action.operation)->effect == operations::Effect::adds)
    facts.erase("warnings");
  else
    answer.warnings.clear();
  answer.data = std::move(facts);
  return answer;
}

Result<ResearchAnswer> show_thread(ResearchCall& call, const ResearchAction& action) {
  HF_TRY(ResearchAnswer answer, perform(call, action));
  answer.data.erase("session");
  return answer;
}

Result<ResearchAnswer> show_report(ResearchCall& call, const ResearchAction& action) {
  HF_TRY(ResearchAnswer answer, perform(call, action));
  answer.data["format"] = call.text("format").empty() ? "markdown" : call.text("format");
  return answer;
}

// What a worker of this server goes on with.
Result<ResearchAnswer> resume_run(ResearchCall& call, const ResearchAction& action) {
  ResearchAction resume = action;
  resume.operation = "deep-research resume";
  resume.subject = Subject::run;
  if (!call.arguments().contains("research_id"))
    return fail(ErrorKind::invalid, "research_id is required", "deep-research-list shows the runs", "MISSING_REQUIRED");
  HF_TRY(const JsonObject reopened, facts_of_action(call, resume));
  const std::string id = text_in(reopened, "research_id");
  // Waiting here for a worker counts as running, unless it is the job of before that is about to end.
  const bool running = find_bool(reopened, "already_running").value_or(false) ||
                       (call.rooms.workers.has(id) && !find_bool(reopened, "changed").value_or(false));
  if (!running) call.rooms.workers.submit(id);
  if (call.flag("wait", false)) return wait_for_run(call, id);
  resume.operation = "deep-research status";
  HF_TRY(ResearchAnswer answer, perform(call, resume));
  answer.data["already_running"] = running;
  if (!running) {  // it waits for its worker, not for somebody to come
    answer.data["stalled"] = false;
    answer.data.erase("stop_reason");
  }
  answer.data["resumed"] = !running;
  answer.data["next_poll_s"] = kNextPoll;
  return answer;
}

Result<ResearchAnswer> start_or_resume(ResearchCall& call, const ResearchAction& action) {
  const std::string what = call.text("deep_research_action");
  if (!what.empty() && what != "start") return resume_run(call, action);
  HF_TRY(ResearchAnswer answer, perform(call, action));
  const std::string id = text_in(answer.data, "research_id");
  call.rooms.workers.submit(id);
  if (call.flag("wait", false)) return wait_for_run(call, id);
  answer.data["next_poll_s"] = kNextPoll;
  return answer;
}

}  // namespace

std::vector<ResearchAction> research_actions() {
  using Names = std::vector<std::string>;
  using enum Subject;
  const Names listed{"status",        "visibility",     "q",     "project", "pinned", "sort",
                     "updated_since", "updated_before", "limit", "cursor",  "root"};
  const auto with = [](Names names, const Names& more) {
    names.insert(names.end(), more.begin(), more.end());
    return names;
  };
  const Names either_id{"thread_id", "research_id", "id"}, place{"project", "root"}, confirmed{"confirmation_token", "choice"},
      of_run{"research_id"}, of_thread{"thread_id"};
  Names starting{
      "deep_research_action", "query",   "research_id", "title", "follow_links", "mode", "clarify", "search", "provider", "wait",
      "wait_timeout_s",       "project", "root"};
  for (const research::LimitInfo& limit : research::kLimits) starting.emplace_back(limit.name);
  return {
      {"chat",
       "chat",
       thread_if_named,
       false,
       {"prompt"},
       with({"thread_id", "title", "system_prompt", "provider", "model", "temperature", "max_tokens", "client_msg_id"}, place),
       perform},
      {"thinkdeep",
       "thinkdeep",
       thread_if_named,
       false,
       {},
       with({"topic", "thread_id", "query", "max_depth", "provider"}, place),
       perform},
      {"ideate",
       "ideate",
       thread_if_named,
       false,
       {},
       with({"topic", "thread_id", "ideate_action", "perspectives", "criteria", "idea_ids", "count", "provider"}, place),
       perform},
      {"consensus",
       "consensus",
       thread_if_named,
       false,
       {"prompt"},
       with({"thread_id", "title", "system_prompt", "providers", "strategy", "min_responses", "require_all",
             "timeout_per_provider", "max_concurrent"},
            place),
       perform},
      {"thread-create",
       "thread create",
       none,
       false,
       {},
       with({"title", "system_prompt", "provider", "thread_kind", "metadata"}, place),
       perform},
      {"thread-append", "thread append", thread, false, {"thread_id", "role", "content"}, {"client_msg_id"}, perform},
      {"thread-list", "thread list", none, false, {}, with({"kind"}, listed), perform},
      {"thread-get", "thread get", thread, false, of_thread, {"limit", "before_seq"}, show_thread},
      {"deep-research", "deep-research start", none, false, {}, starting, start_or_resume},
      {"deep-research-status", "deep-research status", run, true, of_run, {}, perform},
      {"deep-research-report", "deep-research report", run, false, of_run, {"format"}, show_report},
      {"deep-research-list", "deep-research list", none, false, {}, with({"completed_only"}, listed), perform},
      {"deep-research-cancel", "deep-research cancel", run, false, of_run, {}, perform},
      {"thread-archive", "sessions archive", thread, true, of_thread, {}, perform},
      {"thread-unarchive", "sessions unarchive", thread, true, of_thread, {}, perform},
      {"thread-delete", "sessions delete", threads, true, {}, with({"thread_id", "thread_ids"}, confirmed), perform},
      {"thread-restore", "sessions restore", thread, true, of_thread, {}, perform},
      {"deep-research-archive", "sessions archive", run, true, of_run, {}, perform},
      {"deep-research-unarchive", "sessions unarchive", run, true, of_run, {}, perform},
      {"deep-research-delete", "sessions delete", runs, true, {}, with({"research_id", "research_ids"}, confirmed), perform},
      {"deep-research-restore", "sessions restore", run, true, of_run, {}, perform},
      {"pin", "sessions pin", either, true, {}, either_id, perform},
      {"unpin", "sessions unpin", either, true, {}, either_id, perform},
      {"redact",
       "sessions redact",
       either,
       true,
       {},
       with(with(either_id, {"message_ids", "source_ids", "pattern", "regex"}), confirmed),
       perform},
      {"purge", "sessions purge", either, true, {}, with(with(either_id, confirmed), {"confirm_id"}), perform},
      {"cleanup", "cleanup", none, false, {}, {"dry_run"}, perform},
  };
}

}  // namespace holdfast::tools
