// holdfast research status|report|list|cancel|providers.

#include "cli/program/context.h"
#include "cli/sessions/session_text.h"
#include "session/kinds.h"

#include <fmt/format.h>

namespace holdfast::cli {

Result<void> show_research_status(Context& context) {
  HF_TRY(auto work, SessionWork::begin(context));
  HF_TRY(const operations::Facts status, work->perform("deep-research status", context.given));
  if (context.json)
    print_json(status);
  else
    print_run_status(context, status);
  return {};
}

Result<void> show_report(Context& context) {
  HF_TRY(auto work, SessionWork::begin(context));
  HF_TRY(const operations::Facts report, work->perform("deep-research report", context.given));
  if (context.json || context.given.text("format") == "json")
    print_json(report);
  else
    print_report(context, report);
  return {};
}

Result<void> list_research(Context& context) {
  HF_TRY(auto work, SessionWork::begin(context));
  HF_CHECK(work->store(false));
  operations::Given given({{"type", JsonArray{session::kThread, session::kResearch}}});
  given.set("limit", context.given.number("limit", 20));
  if (context.given.flag("completed")) given.set("completed", true);
  HF_TRY(operations::Facts facts, work->perform("sessions list", given));
  if (context.json) {
    print_json(JsonObject{{"sessions", facts.at("sessions")}, {"count", facts.at("count")}, {"total", facts.at("total")}});
    return {};
  }
  const JsonArray& sessions = *find_array(facts, "sessions");
  if (sessions.empty()) print("no threads and no research\n");
  for (const Json& item : sessions) print(harmless(text_in(item.as_object(), "display"), true) + "\n");
  return {};
}

Result<void> cancel_research(Context& context) {
  HF_TRY(auto work, SessionWork::begin(context));
  HF_TRY(const operations::Facts facts, work->perform("deep-research cancel", context.given));
  const std::string id = text_in(facts, "research_id");
  if (context.json)
    print_json(facts);
  else
    print(fmt::format("{} is {}\n{}", id, text_in(facts, "status"),
                      find_bool(facts, "changed").value_or(false) ? how_to_resume(id) : std::string()));
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
