// holdfast run list|show|cancel.

#include "cli/program/care_settings.h"
#include "cli/program/context.h"
#include "kinds/runner/run_export.h"
#include "operations/sessions/session_item.h"
#include "session/kinds.h"
#include "session/query/lookup.h"
#include "tools/runner/runner_tools.h"

#include <fmt/format.h>

namespace holdfast::cli {

namespace {

constexpr std::int64_t kRunsShown = 20;

Result<session::SessionRecord> named_run(const Context& context, session::Store& store) {
  HF_TRY(session::SessionRecord record,
         session::find_session(store, context.settings.text("principal"), context.given.text("session")));
  if (record.kind != session::kRun)
    return fail(ErrorKind::invalid, fmt::format("{} is a {} session, not a run", record.id, record.kind));
  return record;
}

}  // namespace

Result<void> list_runs(Context& context) {
  HF_TRY(auto store, context.open_store());
  session::Query query;
  query.kinds = {std::string(session::kRun)};
  query.principal = context.settings.text("principal");
  query.limit = static_cast<std::size_t>(context.given.number("limit", kRunsShown));
  HF_TRY(const session::Page page, store->list(query));
  const session::RetentionPolicy policy = retention_policy(context.settings);
  JsonArray items;
  Table table({{"RUN"}, {"STATUS"}, {"DONE", true}, {"FAILED", true}, {"FIRST TASK", false, true}});
  for (const session::SessionRecord& record : page.items) {
    JsonObject item = operations::session_item(record, context.clock->now(), policy);
    HF_TRY(const std::string status, runner::run_status(*store, record));
    const auto count = [&](std::string_view name) { return find_int(item, name).value_or(0); };
    table.add({record.id, status, fmt::format("{}/{}", count("tasks_done"), count("tasks")),
               std::to_string(count("tasks_failed")), record.title});
    item["status"] = status;
    items.emplace_back(std::move(item));
  }
  if (context.json) {
    const std::size_t count = items.size();
    print_json(JsonObject{{"sessions", std::move(items)}, {"count", count}, {"total", page.total}});
    return {};
  }
  print(page.items.empty() ? "no runs\n" : table.text(context.terminal));
  return {};
}

Result<void> show_task_run(Context& context) {
  HF_TRY(auto store, context.open_store());
  HF_TRY(const session::SessionRecord record, named_run(context, *store));
  if (context.json) {
    HF_TRY(const runner::RunReport report, runner::read_report(*store, record.id));
    print_json(runner::report_json(report));
    return {};
  }
  HF_TRY(const std::string text, runner::export_report(*store, record.id, "markdown"));
  print(context.terminal.width > 0 ? harmless(text, false) : text);
  return {};
}

Result<void> cancel_task_run(Context& context) {
  HF_TRY(auto store, context.open_store());
  HF_TRY(const session::SessionRecord record, named_run(context, *store));
  HF_CHECK(runner::cancel_run(*store, record.id, record.principal));
  if (context.json)
    print_json(JsonObject{{"run_id", record.id}, {"status", "cancelled"}});
  else
    print(fmt::format("{} is cancelled; what is done is kept\n", record.id));
  return {};
}

}  // namespace holdfast::cli
