// holdfast research status|report|list|cancel|providers.

#include "cli/program/care_settings.h"
#include "cli/program/context.h"
#include "cli/services/research_service.h"
#include "cli/sessions/session_filters.h"
#include "cli/sessions/session_text.h"
#include "operations/sessions/session_item.h"
#include "session/kinds.h"
#include "session/query/lookup.h"

#include <fmt/format.h>

namespace holdfast::cli {

namespace {

using session::SessionRecord;

struct OpenRun {
  std::unique_ptr<session::Store> store;
  std::unique_ptr<ResearchService> service;
  SessionRecord record;
};

Result<OpenRun> open_run(const Context& context) {
  OpenRun run;
  HF_TRY(run.store, context.open_store());
  HF_TRY(run.record, session::find_session(*run.store, context.settings.text("principal"), context.given.text("session")));
  if (run.record.kind != session::kResearch)
    return fail(ErrorKind::invalid, fmt::format("{} is a {} session, not research", run.record.id, run.record.kind));
  HF_TRY(run.service, ResearchService::make(context, *run.store));
  return run;
}

}  // namespace

Result<void> show_research_status(Context& context) {
  HF_TRY(const OpenRun run, open_run(context));
  HF_TRY(const JsonObject status, run.service->research().status(run.record.principal, run.record.id));
  if (context.json)
    print_json(status);
  else
    print_run_status(context, status);
  return {};
}

Result<void> print_report(Context& context) {
  HF_TRY(const OpenRun run, open_run(context));
  HF_TRY(const JsonObject report, run.service->research().report(run.record.principal, run.record.id));
  if (context.json || context.given.text("format") == "json") {
    print_json(report);
    return {};
  }
  const std::string text(find_string(report, "report").value_or(""));
  print(context.terminal.width > 0 ? harmless(text, false) : text);
  print_warnings(report);
  return {};
}

Result<void> list_research(Context& context) {
  context.given.set("type", JsonArray{session::kThread, session::kResearch});
  HF_TRY(const session::Query query, read_session_filters(context));
  HF_TRY(auto store, context.open_store());
  HF_TRY(const session::Page page, store->list(query));
  const session::RetentionPolicy policy = retention_policy(context.settings);
  JsonArray items;
  for (const SessionRecord& record : page.items) items.push_back(operations::session_item(record, context.clock->now(), policy));
  if (context.json) {
    const std::size_t count = items.size();
    print_json(JsonObject{{"sessions", std::move(items)}, {"count", count}, {"total", page.total}});
    return {};
  }
  if (items.empty()) print("no threads and no research\n");
  for (const Json& item : items) print(harmless(find_string(item.as_object(), "display").value_or(""), true) + "\n");
  return {};
}

Result<void> cancel_research(Context& context) {
  HF_TRY(const OpenRun run, open_run(context));
  HF_TRY(const research::Research::Cancelled cancelled, run.service->research().cancel(run.record.principal, run.record.id));
  if (context.json)
    print_json(JsonObject{{"research_id", run.record.id}, {"status", cancelled.record.status}, {"changed", cancelled.changed}});
  else
    print(fmt::format("{} is {}\n{}", run.record.id, cancelled.record.status,
                      cancelled.changed ? how_to_resume(run.record.id) : std::string()));
  return {};
}

Result<void> show_providers(Context& context) {
  HF_TRY(auto store, context.open_store());
  HF_TRY(const auto parts, ResearchParts::make(context));
  HF_TRY(const research::MadeProviders made, parts->providers(*store, {}, full_identity(context.settings.text("principal"))));
  JsonArray models, searches;
  Table table({{"WHAT"}, {"NAME"}, {"STATE", false, true}});
  for (const std::string& name : parts->models().providers("chat")) {
    models.emplace_back(name);
    table.add({"model", name, "configured"});
  }
  for (const auto& provider : made.providers) {
    const auto health = provider->health();
    const std::string state = health ? "ready" : health.error().message;
    searches.push_back(JsonObject{{"name", provider->name()}, {"ready", health.has_value()}, {"state", state}});
    table.add({"search", std::string(provider->name()), state});
  }
  if (context.json) {
    JsonArray warnings;
    for (const std::string& warning : made.warnings) warnings.emplace_back(warning);
    print_json(JsonObject{{"models", std::move(models)}, {"search", std::move(searches)}, {"warnings", std::move(warnings)}});
    return {};
  }
  print(table.text(context.terminal));
  if (models.empty())
    print("no model is configured: reports are made of quotations, and chat keeps messages without an answer\n");
  for (const std::string& warning : made.warnings) print_note("warning: " + harmless(warning, true) + "\n");
  return {};
}

}  // namespace holdfast::cli
