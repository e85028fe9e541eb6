// Research runs (threads-and-research §10, §11): begin, go on, look, end. Who works a run is the surface's business: a command
// does it itself, a server leaves it to its workers. From `start` on it is durable, and any server finds it.

#include "base/json/json.h"
#include "operations/context.h"
#include "operations/research/research_facts.h"
#include "operations/sessions/list_filters.h"
#include "operations/sessions/record_changes.h"
#include "operations/sessions/session_item.h"
#include "operations/sessions/session_parameters.h"
#include "operations/table.h"
#include "session/kinds.h"

#include <fmt/format.h>

namespace holdfast::operations {

namespace {

using session::SessionRecord;
using enum Parameter::Type;

Result<SessionRecord> run_named(Context& context, const Given& given) {
  HF_TRY(SessionRecord record, record_named(context, given.text("session")));
  if (record.kind == session::kResearch) return record;
  return fail(ErrorKind::invalid, fmt::format("{} is a {} session, not research", record.id, record.kind));
}

constexpr auto kStartRunParameters =
    joined(std::array{Parameter{.name = "query"}, Parameter{.name = "title"}, Parameter{.name = "follow_links", .type = choice},
                      Parameter{.name = "mode"}, Parameter{.name = "clarify"}, Parameter{.name = "search", .type = texts},
                      Parameter{.name = "provider"}, Parameter{.name = "project"},
                      Parameter{.name = "corpus", .type = texts, .help = "folders for this run, absolute"}},
           kLimitParameters);

Result<Facts> start_run(Context& context, const Given& given) {
  research::StartRequest request;
  request.query = given.text("query");
  if (request.query.empty()) return fail(ErrorKind::invalid, "query is required", {}, "MISSING_REQUIRED");
  request.title = given.text("title");
  JsonObject effective;
  for (const research::LimitInfo& limit : research::kLimits) {
    if (const auto value = given.number(limit.name)) request.limits[limit.name] = *value;
    effective[limit.name] = given.number(limit.name, limit.fallback);
  }
  request.follow_links = given.flag("follow_links", true);
  if (given.has("mode")) request.mode = given.text("mode");
  if (given.has("clarify")) request.clarify = given.text("clarify");
  request.search = given.texts("search");
  request.provider = given.text("provider");
  request.project = given.text("project");
  request.corpus = given.texts("corpus");
  HF_CHECK(research::check_start(request));
  HF_TRY(const Place place, context.place());
  request.principal = context.identity().principal;
  request.client = place.client;
  request.root_uri = place.root_uri;
  request.root_name = place.root_name;
  request.projects = context.identity().projects;
  HF_CHECK(context.clarify(request));
  HF_TRY(research::Research* const research, context.research());
  HF_TRY(const SessionRecord record, research->start(request));
  return Facts{{"research_id", record.id}, {"status", record.status}, {"effective_limits", std::move(effective)}};
}

constexpr std::array kRunParameters{kRecord};

// Before anybody works it and before anybody waits: who looks at the run from now on sees that it goes on.
Result<Facts> reopen_run(Context& context, const Given& given) {
  HF_TRY(const SessionRecord record, run_named(context, given));
  HF_TRY(research::Research* const research, context.research());
  HF_TRY(const research::Research::Reopened reopened, research->reopen(record.principal, record.id));
  return Facts{
      {"research_id", record.id}, {"already_running", reopened.already_running}, {"changed", reopened.record.rev != record.rev}};
}

Result<Facts> run_status(Context& context, const Given& given) {
  HF_TRY(const SessionRecord record, run_named(context, given));
  HF_TRY(research::Research* const research, context.research());
  return research->status(record.principal, record.id);
}

Result<Facts> run_report(Context& context, const Given& given) {
  HF_TRY(const SessionRecord record, run_named(context, given));
  HF_TRY(research::Research* const research, context.research());
  return research->report(record.principal, record.id);
}

Result<Facts> cancel_run(Context& context, const Given& given) {
  HF_TRY(const SessionRecord record, run_named(context, given));
  HF_TRY(research::Research* const research, context.research());
  HF_TRY(const research::Research::Cancelled cancelled, research->cancel(record.principal, record.id));
  return Facts{{"research_id", record.id}, {"status", cancelled.record.status}, {"changed", cancelled.changed}};
}

constexpr auto kListRunsParameters = joined(kFilterParameters, std::array{Parameter{.name = "completed_only", .type = choice}});

Result<Facts> list_runs(Context& context, const Given& given) {
  Given filters = given;
  if (given.flag("completed_only")) filters.set("completed", true);
  return list_of_kind(context, filters, session::kResearch, "sessions");
}

// Status, then the report when it is completed.
Result<Facts> show_run(Context& context, const Given& given) {
  HF_TRY(const SessionRecord record, run_named(context, given));
  HF_TRY(research::Research* const research, context.research());
  HF_TRY(Facts facts, run_facts(*research, record));
  facts["session"] = session_item(record, context.now(), context.policy());
  return facts;
}

constexpr std::array kRunDocumentParameters{kRecord, Parameter{.name = "format"}};

Result<Facts> export_run(Context& context, const Given& given) {
  HF_TRY(const std::string format, document_format(given));
  HF_TRY(const Facts report, run_report(context, given));
  HF_TRY(const SessionRecord record, run_named(context, given));
  return Facts{{"sessionId", record.id},
               {"format", format},
               {"content", format == "json" ? to_json_pretty(Json(report)) : text_in(report, "report")}};
}

constexpr std::array kRuns{
    outward(adds("deep-research start", "answer a question, with sources", kStartRunParameters, start_run)),
    outward(changes("deep-research resume", "go on with a run that was interrupted", kRunParameters, reopen_run)),
    reads("deep-research status", "how a run stands", kRunParameters, run_status),
    reads("deep-research report", "what a run found", kRunParameters, run_report),
    reads("deep-research list", "runs, newest first", kListRunsParameters, list_runs),
    changes("deep-research cancel", "end a run; what it found stays", kRunParameters, cancel_run),
};

constexpr std::array kOfRuns{
    of_kind(session::kResearch, reads("research resume", "where it stands: status, then the report", kRunParameters, show_run)),
    of_kind(session::kResearch, reads("research export", "its report as a document", kRunDocumentParameters, export_run)),
};

}  // namespace

Result<JsonObject> run_facts(research::Research& research, const SessionRecord& run) {
  HF_TRY(JsonObject facts, research.status(run.principal, run.id));
  if (run.status != "completed") return facts;
  HF_TRY(facts["report"], research.report(run.principal, run.id));
  return facts;
}

std::span<const Operation> run_operations() {
  return kRuns;
}

std::span<const Operation> operations_of_runs() {
  return kOfRuns;
}

}  // namespace holdfast::operations
