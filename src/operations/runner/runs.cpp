// run, run list, show, cancel: tasks for a model (persistent-client §7).

#include "operations/runner/runs.h"

#include "base/files/file.h"
#include "operations/context.h"
#include "operations/sessions/session_item.h"
#include "operations/sessions/session_parameters.h"
#include "operations/table.h"
#include "session/kinds.h"
#include "session/query/lookup.h"

#include <fmt/format.h>

#include <array>
#include <optional>

namespace holdfast::operations {

namespace {

using enum Parameter::Type;

constexpr std::size_t kMaxTasksFile = 16 * 1024 * 1024;  // far above what 1,000 tasks of 10,000 characters are
constexpr std::int64_t kRunsShown = 20, kMostRunsShown = 1000;

constexpr std::array kTaskRunParameters{
    Parameter{.name = "tasks", .help = "a file of tasks (docs/runner.md); - reads standard input", .option = "TASKS"},
    Parameter{"task", texts, "a task in words; may be repeated", {}, "TEXT"},
    Parameter{.name = "folders",
              .type = texts,
              .help = "the folder to work in; may be repeated",
              .fallback = "this one",
              .value = "DIR",
              .option = "--in"},
    Parameter{.name = "servers",
              .type = texts,
              .help = "MCP servers to use, by name",
              .fallback = "all that are configured",
              .value = "LIST",
              .divided = true},
    Parameter{"model", text, "instead of the endpoint's own"},
    bounded("timeout", "seconds for each task", "600", 1, runner::kMaxTimeout),
    bounded("max_rounds", "answers of the model for each task", "100", 1, runner::kMaxRounds),
    bounded("call_timeout", "seconds for each call of a tool, without an answer or progress", "60", 1, runner::kMaxTimeout),
    bounded("max_result", "bytes of each result that the model is shown", "65536", runner::kMinResultBytes,
            runner::kMaxResultBytes),
    bounded("max_calls", "calls in one answer of the model", "64", 1, runner::kMaxCalls),
    Parameter{"stop_on_error", flag, "skip the rest when a task does not end well"},
    Parameter{"mcp_json", text, "where the MCP servers are defined", "the usual places", "FILE"},
    Parameter{"trust", flag, "agree to what the .mcp.json of this folder starts, as it is now; alone: only that"},
    Parameter{.name = "resume",
              .help = "go on with a run",
              .fallback = "the newest that is not finished",
              .value = "ID",
              .value_may_be_left_out = true},
    Parameter{"request", json, "what is to be done, as a file of tasks says it"}};

runner::TaskLimits limits_of(const Given& given) {
  runner::TaskLimits limits;
  if (const std::string model = given.text("model"); !model.empty()) limits.model = model;
  limits.timeout_s = given.number("timeout");
  limits.max_rounds = given.number("max_rounds");
  limits.call_timeout_s = given.number("call_timeout");
  limits.max_result_bytes = given.number("max_result");
  limits.max_calls = given.number("max_calls");
  return limits;
}

// A file, or what the options say; options count where the file says nothing.
Result<runner::RunRequest> read_run_request(const Given& given) {
  const std::string file = given.text("tasks");
  const std::vector<std::string> in_words = given.texts("task");
  const Json* asked = holdfast::find(given.values(), "request");
  if (!asked && file.empty() == in_words.empty())
    return fail(ErrorKind::invalid, file.empty() ? "there is nothing to do" : "tasks come from a file or from {task}, not both",
                "holdfast run TASKS.json, holdfast run --task \"...\", or holdfast run --resume", "usage");
  Json request = asked ? *asked : Json(JsonObject{{"tasks", to_json_array(in_words)}});
  if (!file.empty()) {
    HF_TRY(const std::string text, read_file(file == "-" ? "/dev/stdin" : file, kMaxTasksFile));
    auto read = parse_json(text);
    if (!read) return fail(std::move(read).error().within(file));
    request = read->is_array() ? Json(JsonObject{{"tasks", *std::move(read)}}) : *std::move(read);
  }
  auto parsed = runner::parse_run_request(request);
  if (!parsed) return file.empty() ? parsed : fail(std::move(parsed).error().within(file));
  if (given.has("folders")) parsed->initial_folders = given.texts("folders");
  if (given.has("servers")) parsed->servers = given.texts("servers");
  parsed->limits.take_over(limits_of(given));
  parsed->stop_on_error = parsed->stop_on_error || given.flag("stop_on_error");
  return parsed;
}

// What is said now counts for the tasks that are left.
Result<void> amend_run(runner::Runs& runs, const std::string& id, const Given& given) {
  runner::Runs::Changes changes;
  changes.limits = limits_of(given);
  changes.servers = given.texts("servers");
  changes.stop_on_error = given.flag("stop_on_error");
  changes.servers_file = !given.text("mcp_json").empty();
  if (changes.limits.empty() && changes.servers.empty() && !changes.stop_on_error && !changes.servers_file) return {};
  return runs.amend(id, changes);
}

Result<Facts> run_tasks(Context& context, const Given& given) {
  HF_TRY(const runner::RunReport report, work_on_run(context, given));
  return runner::report_json(report);
}

constexpr std::array kTaskRunListParameters{bounded("limit", "how many", "20", 1, kMostRunsShown)};

Result<Facts> list_task_runs(Context& context, const Given& given) {
  HF_TRY(session::Store* const store, context.store(false));
  session::Query query;
  query.kinds = {std::string(session::kRun)};
  query.principal = context.identity().principal;
  query.limit = static_cast<std::size_t>(given.number("limit", kRunsShown));
  HF_TRY(const session::Page page, store->list(query));
  JsonArray items;
  for (const session::SessionRecord& record : page.items) {
    JsonObject item = session_item(record, context.now(), context.policy());
    HF_TRY(const std::string status, runner::run_status(*store, record));
    item["status"] = status;
    items.emplace_back(std::move(item));
  }
  const std::size_t count = items.size();
  return Facts{{"sessions", std::move(items)}, {"count", count}, {"total", page.total}};
}

constexpr std::array kJustOneRun{kRecord};

Result<Facts> show_task_run(Context& context, const Given& given) {
  HF_TRY(const session::SessionRecord record, named_run(context, given.text("session")));
  HF_TRY(session::Store* const store, context.store(false));
  HF_TRY(const runner::RunReport report, runner::read_report(*store, record.id));
  return runner::report_json(report);
}

Result<Facts> cancel_task_run(Context& context, const Given& given) {
  HF_TRY(const session::SessionRecord record, named_run(context, given.text("session")));
  HF_TRY(session::Store* const store, context.store(false));
  HF_CHECK(runner::cancel_run(*store, record.id, record.principal));
  return Facts{{"run_id", record.id}, {"status", "cancelled"}};
}

constexpr std::array kRunOperations{
    outward(removes("run", "let a model work through tasks, with the tools of your MCP servers", kTaskRunParameters, run_tasks)),
    reads("run list", "runs, newest first", kTaskRunListParameters, list_task_runs),
    reads("run show", "tasks and results of a run", kJustOneRun, show_task_run),
    changes("run cancel", "end a run; what is done stays", kJustOneRun, cancel_task_run),
};

}  // namespace

Result<session::SessionRecord> named_run(Context& context, const std::string& id) {
  HF_TRY(session::Store* const store, context.store(false));
  HF_TRY(session::SessionRecord record, session::find_session(*store, context.identity().principal, id));
  if (record.kind == session::kRun) return record;
  return fail(ErrorKind::invalid, fmt::format("{} is a {} session, not a run", record.id, record.kind));
}

Result<std::string> run_to_resume(Context& context, const Given& given) {
  if (const std::string id = given.text("resume"); !id.empty()) {
    HF_TRY(const session::SessionRecord record, named_run(context, id));
    return record.id;
  }
  HF_TRY(session::Store* const store, context.store(false));
  session::Query query;
  query.kinds = {std::string(session::kRun)};
  query.statuses = {"running"};
  query.principal = context.identity().principal;
  query.limit = 1;
  HF_TRY(const session::Page page, store->list(query));
  if (page.items.empty())
    return fail(ErrorKind::not_found, "every run is finished: there is nothing to resume", "holdfast run list shows them");
  return page.items.front().id;
}

Result<runner::RunReport> work_on_run(Context& context, const Given& given) {
  const bool resumes = given.has("resume");
  if (resumes && (!given.text("tasks").empty() || given.has("task") || given.has("folders")))
    return fail(ErrorKind::invalid, "{resume} goes on with the tasks and folders the run was given",
                "leave {tasks}, {task} and {folders} out", "usage");
  std::optional<runner::RunRequest> request;
  if (!resumes) {
    HF_TRY(request, read_run_request(given));
  }
  HF_TRY(const Runner runner, context.runner());
  HF_TRY(session::Store* const store, context.store(false));
  HF_TRY(runner::Runs runs, runner.runs(*store));
  std::string id;
  if (request) {
    HF_TRY(id,
           runs.begin(*std::move(request), {.principal = context.identity().principal, .client = runner.client, .root_uri = {}}));
  } else {
    HF_TRY(id, run_to_resume(context, given));
    HF_CHECK(amend_run(runs, id, given));
  }
  return runner.work(runs, *store, id);
}

std::span<const Operation> task_operations() {
  return kRunOperations;
}

}  // namespace holdfast::operations
