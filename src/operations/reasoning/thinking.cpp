// thought: one step of thinking in, its number and session out.

#include "base/text/text.h"
#include "kinds/reasoning/append.h"
#include "kinds/reasoning/thought.h"
#include "operations/operation.h"
#include "operations/reasoning/situated.h"
#include "operations/sessions/session_parameters.h"
#include "operations/table.h"
#include "session/query/display.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace holdfast::operations {

namespace {

using enum Parameter::Type;

constexpr Parameter number_of(std::string_view name) {
  return {.name = name, .type = number, .least = kAnyNumber};
}

constexpr std::array kThoughtParameters{
    Parameter{.name = "thought"},
    kMaybeRecord,
    Parameter{.name = "new_session", .type = choice},
    Parameter{.name = "thought_type"},
    Parameter{.name = "payload", .type = json, .help = "what a thought of its type holds beside the text"},
    Parameter{.name = "next_thought_needed", .type = choice},
    number_of("thought_number"),
    number_of("total_thoughts"),
    Parameter{.name = "is_revision", .type = choice},
    number_of("revises_thought"),
    Parameter{.name = "branch_id"},
    number_of("branch_from_thought"),
    Parameter{.name = "session_title"},
    Parameter{.name = "session_tags", .type = texts},
    Parameter{.name = "needs_more_thoughts", .type = choice},
    Parameter{.name = "verbose", .type = choice},
    Parameter{.name = "agent_id"},
    Parameter{.name = "agent_name"},
    Parameter{.name = "idempotency_key"}};

// A title may be longer than the reply to a thought, which is sent with every one and stays under 300 bytes (D2).
constexpr std::size_t kGoalLength = 80;

// T8, T10.
JsonObject appended_state(const reasoning::AppendOutcome& outcome, bool verbose) {
  const reasoning::Thought& thought = outcome.thought;
  const std::vector<std::string> branches = reasoning::branches_of(outcome.record);
  JsonObject state{{"thoughtNumber", thought.number}};
  if (outcome.closed) {
    state["totalThoughts"] = thought.total;
    state["nextThoughtNeeded"] = false;
    state["branches"] = to_json_array(branches);
    state["thoughtHistoryLength"] = reasoning::total_count(outcome.record);
    state["sessionId"] = nullptr;
    state["sessionClosed"] = true;
    state["closedSessionId"] = outcome.record.id;
    if (outcome.manifest) state["auditManifest"] = *outcome.manifest;
  } else {
    state["sessionId"] = outcome.record.id;
  }
  state["goal"] = shorten(session::shown_title(outcome.record), kGoalLength);
  state["attached"] = name_of(outcome.attached);
  if (!thought.branch.empty()) state["branchId"] = thought.branch;
  if (outcome.branch_completed) state["branchCompleted"] = true;
  if (outcome.requested_number) state["requestedNumber"] = *outcome.requested_number;
  if (outcome.replayed) state["replayed"] = true;
  if (outcome.reopened) state["reopened"] = true;
  if (!outcome.previous_session.empty()) state["previousSessionId"] = outcome.previous_session;
  if (outcome.recovered)
    state["recovered"] =
        JsonObject{{"thoughtCount", outcome.recovered->thought_count}, {"ageSeconds", outcome.recovered->age_seconds}};
  if (!outcome.notices.empty()) state["notice"] = fmt::format("{}", fmt::join(outcome.notices, "; "));
  if (!verbose || outcome.closed) return state;
  state["totalThoughts"] = thought.total;
  state["nextThoughtNeeded"] = thought.next_needed;
  state["nextThoughtNumber"] = outcome.record.highest_number(thought.branch) + 1;
  state["thoughtType"] = thought.type;
  state["branches"] = to_json_array(branches);
  state["thoughtHistoryLength"] = reasoning::total_count(outcome.record);
  for (const auto& member : thought.payload) state.insert(member);
  return state;
}

std::optional<std::string> text_of(const Given& given, std::string_view name) {
  return given.has(name) ? std::optional(given.text(name)) : std::nullopt;
}

Result<reasoning::ThoughtRequest> read_thought(const Given& given) {
  reasoning::ThoughtRequest request;
  const std::string type_name = given.text("thought_type");
  const reasoning::ThoughtType* type = reasoning::find_type(type_name.empty() ? reasoning::kDefaultType : type_name);
  if (!type) return fail(ErrorKind::invalid, "unknown {thought_type}", {}, "invalid_argument");
  request.type = type->name;
  const JsonObject* payload = find_object(given.values(), "payload");
  HF_TRY(request.payload, reasoning::read_payload(*type, payload ? *payload : JsonObject{}));
  request.text = given.text("thought");
  request.session_id = text_of(given, "session");
  if (request.session_id && request.session_id->empty()) request.session_id.reset();
  request.new_session = given.flag("new_session");
  request.next_needed = given.flag("next_thought_needed", true);
  request.number = given.number("thought_number");
  request.total = given.number("total_thoughts");
  request.is_revision = given.choice("is_revision");
  request.revises = given.number("revises_thought");
  request.branch = text_of(given, "branch_id");
  request.branch_from = given.number("branch_from_thought");
  request.session_title = text_of(given, "session_title");
  request.session_tags = given.texts("session_tags");
  request.needs_more = given.choice("needs_more_thoughts");
  request.agent_id = given.text("agent_id");
  request.agent_name = given.text("agent_name");
  request.idempotency_key = given.text("idempotency_key");
  HF_CHECK(reasoning::check_request(request));
  return request;
}

Result<Facts> think(Context& context, const Given& given) {
  HF_TRY(const reasoning::ThoughtRequest request, read_thought(given));
  HF_TRY(session::Store* const store, context.store(false));
  // A session that is named, or open on this connection, needs no project: nobody is asked for nothing.
  const bool may_be_open = !request.session_id && !request.new_session && !request.session_title;
  // append_thought prepares the end of a session that it knows.
  HF_TRY(Situated situated, context.situation(may_be_open && request.next_needed ? Situate::unread : Situate::connection));
  std::optional<reasoning::AppendOutcome> appended;
  if (request.session_id) {
    HF_TRY(appended, reasoning::append_thought(*store, request, situated.situation));
  } else if (may_be_open && situated.situation.has_connection()) {
    HF_TRY(appended, reasoning::append_if_open(*store, request, situated.situation));
  }
  if (!appended) {
    HF_TRY(situated, context.situation(Situate::others));
    HF_TRY(appended, reasoning::append_thought(*store, request, situated.situation));
  }
  if (!situated.notice.empty()) appended->notices.push_back(situated.notice);
  return appended_state(*appended, given.flag("verbose"));
}

constexpr std::array kThinking{
    adds("thought", "one step of thinking, kept in a session that outlives the connection", kThoughtParameters, think)};

}  // namespace

std::span<const Operation> thinking_operations() {
  return kThinking;
}

}  // namespace holdfast::operations
