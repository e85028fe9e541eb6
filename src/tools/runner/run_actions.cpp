// deep-research, -status, -report, -list, -cancel (threads-and-research §10, §11). Waiting for a run is research_wait.cpp.

#include "session/kinds.h"
#include "tools/research/research_actions.h"
#include "tools/research/research_wait.h"
#include "tools/session/list_filters.h"
#include "tools/session/session_arguments.h"

#include <fmt/format.h>

namespace holdfast::tools {

namespace {

using session::SessionRecord;

constexpr std::int64_t kNextPoll = 5;  // seconds; a run takes longer than that
constexpr std::string_view kQuestions = "clarifying_questions";

JsonObject limits_of(const JsonObject& arguments) {
  JsonObject limits;
  for (const research::LimitInfo& limit : research::kLimits)
    limits[limit.name] = find_int(arguments, limit.name).value_or(limit.fallback);
  return limits;
}

// Puts up to three questions to the user before the run starts. False: they were put, run again when they are answered. Whoever
// cannot or does not want to answer gets a run that notes what it assumed.
Result<bool> clarify(ResearchCall& call, research::StartRequest& request) {
  if (request.clarify != "ask") return true;
  request.clarify = "infer";
  if (!call.call.caller().can_elicit_form()) return true;
  JsonObject& state = call.call.state();
  if (!state.contains(kQuestions)) {
    auto asked = research::clarifying_questions(call.room.models, request);
    JsonArray questions;
    if (asked)
      for (const std::string& question : *asked) questions.emplace_back(question);
    state[kQuestions] = std::move(questions);
  }
  const JsonArray questions = state.at(kQuestions).as_array();
  if (questions.empty()) return true;
  JsonObject properties;
  for (std::size_t i = 0; i < questions.size(); ++i)
    properties[fmt::format("answer_{}", i + 1)] = JsonObject{{"type", "string"}, {"title", questions[i]}};
  const mcp::Answer* answer = call.call.ask(
      "clarify", mcp::Question::form("Before the research starts:", {{"type", "object"}, {"properties", std::move(properties)}}));
  if (!answer) return false;
  const JsonObject* content = answer->content();
  if (!content) return true;
  for (std::size_t i = 0; i < questions.size(); ++i)
    if (auto said = find_string(*content, fmt::format("answer_{}", i + 1)); said && !said->empty())
      request.clarifications[view(questions[i].as_string())] = *said;
  if (!request.clarifications.empty()) request.clarify = "ask";
  return true;
}

Result<ResearchAnswer> start(ResearchCall& call) {
  ResearchAnswer asked;
  asked.input_required = true;
  research::StartRequest request;
  request.query = call.text("query");
  if (request.query.empty()) return fail(ErrorKind::invalid, "query is required", {}, "MISSING_REQUIRED");
  request.title = call.text("title");
  for (const research::LimitInfo& limit : research::kLimits)
    if (auto value = find_int(call.arguments(), limit.name)) request.limits[limit.name] = *value;
  request.follow_links = call.flag("follow_links", true);
  if (auto mode = find_string(call.arguments(), "mode")) request.mode = *mode;
  if (auto how = find_string(call.arguments(), "clarify")) request.clarify = *how;
  request.search = texts_of(call.arguments(), "search");
  request.provider = call.text("provider");
  request.project = call.text("project");
  HF_CHECK(research::check_start(request));
  HF_TRY(const std::optional<Place> place, place_of(call));
  if (!place) return asked;
  request.principal = call.principal();
  request.client = place->client;
  request.root_uri = place->root_uri;
  request.projects = call.call.caller().projects;
  request.root_name = place->root_name;
  HF_TRY(const bool clear, clarify(call, request));
  if (!clear) return asked;
  HF_TRY(const SessionRecord record, call.room.research.start(request));
  call.room.workers.submit(record.id);
  if (call.flag("wait", false)) return wait_for_run(call, record.id);
  ResearchAnswer answer;
  answer.data = {{"research_id", record.id},
                 {"status", record.status},
                 {"effective_limits", limits_of(call.arguments())},
                 {"next_poll_s", kNextPoll}};
  return answer;
}

Result<ResearchAnswer> resume(ResearchCall& call) {
  if (!call.arguments().contains("research_id"))
    return fail(ErrorKind::invalid, "research_id is required", "deep-research-list shows the runs", "MISSING_REQUIRED");
  HF_TRY(const SessionRecord record, named_session(call, "research_id", session::kResearch, Deleted::refuse));
  if (record.status == "completed")
    return fail(ErrorKind::refused, fmt::format("{} is completed", record.id), "deep-research-report shows its report",
                "ALREADY_COMPLETED");
  // Before the answer and before anybody waits: who looks at the run from now on sees that it goes on.
  HF_TRY(const research::Research::Reopened reopened, call.room.research.reopen(call.principal(), record.id));
  // Waiting here for a worker counts as running, unless it is the job of before that is about to end.
  const bool running = reopened.already_running || (call.room.workers.has(record.id) && reopened.record.rev == record.rev);
  if (!running) call.room.workers.submit(record.id);
  if (call.flag("wait", false)) return wait_for_run(call, record.id);
  ResearchAnswer answer;
  HF_TRY(answer.data, call.room.research.status(call.principal(), record.id));
  answer.data["already_running"] = running;
  if (!running) {  // it waits for its worker, not for somebody to come
    answer.data["stalled"] = false;
    answer.data.erase("stop_reason");
  }
  answer.data["resumed"] = !running;
  answer.data["next_poll_s"] = kNextPoll;
  return answer;
}

Result<ResearchAnswer> deep_research(ResearchCall& call) {
  const std::string action = call.text("deep_research_action");
  return action.empty() || action == "start" ? start(call) : resume(call);
}

Result<ResearchAnswer> status(ResearchCall& call) {
  HF_TRY(const SessionRecord record, named_session(call, "research_id", session::kResearch, Deleted::allow));
  ResearchAnswer answer;
  HF_TRY(answer.data, call.room.research.status(call.principal(), record.id));
  return answer;
}

Result<ResearchAnswer> report(ResearchCall& call) {
  HF_TRY(const SessionRecord record, named_session(call, "research_id", session::kResearch, Deleted::refuse));
  ResearchAnswer answer;
  HF_TRY(answer.data, call.room.research.report(call.principal(), record.id));
  answer.data["format"] = call.text("format").empty() ? "markdown" : call.text("format");
  return answer;
}

Result<ResearchAnswer> list_runs(ResearchCall& call) {
  JsonObject filters = call.arguments();
  filters["type"] = session::kResearch;
  if (call.flag("completed_only", false)) filters["completed"] = true;
  HF_TRY(session::Query query, read_filters(filters, call.now));
  return list_of(call, std::move(query), "sessions");
}

Result<ResearchAnswer> cancel_research(ResearchCall& call) {
  HF_TRY(const SessionRecord record, named_session(call, "research_id", session::kResearch, Deleted::refuse));
  HF_TRY(const research::Research::Cancelled cancelled, call.room.research.cancel(call.principal(), record.id));
  ResearchAnswer answer;
  answer.data = {{"research_id", record.id}, {"status", cancelled.record.status}, {"changed", cancelled.changed}};
  return answer;
}

}  // namespace

std::vector<ResearchAction> run_actions() {
  std::vector<std::string> starting = {
      "deep_research_action", "query",   "research_id", "title", "follow_links", "mode", "clarify", "search", "provider", "wait",
      "wait_timeout_s",       "project", "root"};
  for (const research::LimitInfo& limit : research::kLimits) starting.emplace_back(limit.name);
  return {
      {"deep-research", {}, std::move(starting), deep_research},
      {"deep-research-status", {"research_id"}, {}, status},
      {"deep-research-report", {"research_id"}, {"format"}, report},
      {"deep-research-list",
       {},
       {"status", "completed_only", "visibility", "q", "project", "pinned", "sort", "updated_since", "updated_before", "limit",
        "cursor", "root"},
       list_runs},
      {"deep-research-cancel", {"research_id"}, {}, cancel_research},
  };
}

}  // namespace holdfast::tools
