#include "cli/sessions/session_text.h"

#include "session/query/display.h"
#include "tools/research/conversation_operations.h"

#include <fmt/format.h>

namespace holdfast::cli {

Result<void> show_thread(const Context& context, ResearchService& service, const session::SessionRecord& record,
                         std::size_t messages) {
  threads::Who who;
  who.principal = record.principal;
  HF_TRY(const threads::MessagePage page, service.threads().get(who, record.id, messages, std::nullopt));
  if (context.json) {
    print_json(tools::page_json(page));
    return {};
  }
  const Terminal& terminal = context.terminal;
  print(fmt::format("{} {}\n", terminal.bold(harmless(session::shown_title(page.record), true)),
                    terminal.soft(fmt::format("{} ({}, {})", record.id, record.aspect, session::shown_status(page.record)))));
  if (page.before_seq) print(terminal.soft("(earlier messages are left out)") + "\n");
  for (const threads::Message& message : page.messages)
    print(fmt::format("\n{} {}\n{}{}\n", terminal.bold(message.role), terminal.soft(iso8601(message.created_at)),
                      message.damage ? fmt::format("damaged: {}\n", harmless(*message.damage, true)) : "",
                      harmless(message.content, false)));
  return {};
}

void print_warnings(const JsonObject& run) {
  if (const JsonArray* warnings = find_array(run, "warnings"))
    for (const Json& warning : *warnings)
      if (warning.is_string()) print_note("warning: " + harmless(view(warning.get_string()), true) + "\n");
}

void print_run_status(const Context& context, const JsonObject& status) {
  const auto text = [&](std::string_view name) { return harmless(find_string(status, name).value_or(""), true); };
  const auto count = [&](std::string_view name) { return find_int(status, name).value_or(0); };
  const Terminal& terminal = context.terminal;
  print(fmt::format("{}\n", terminal.bold(text("query"))));
  print(fmt::format("{}  {}, {}%{}{}\n", terminal.soft(text("research_id")), text("status"), count("progress_percent"),
                    find_bool(status, "stalled").value_or(false) ? ", nobody works on it" : "",
                    text("phase").empty() ? "" : fmt::format(", {} (round {})", text("phase"), count("iteration"))));
  print(fmt::format("{} sources, {} findings, {} gaps\n", count("source_count"), count("finding_count"), count("gap_count")));
  if (const JsonObject* error = find_object(status, "error"))
    print(fmt::format("{}: {}\n", harmless(find_string(*error, "code").value_or(""), true),
                      harmless(find_string(*error, "message").value_or(""), false)));
  print_warnings(status);
}

Result<void> show_run(const Context& context, ResearchService& service, const session::SessionRecord& record) {
  HF_TRY(const JsonObject state, tools::run_json(service.research(), record.principal, record));
  if (context.json) {
    print_json(state);
    return {};
  }
  print_run_status(context, state);
  if (const JsonObject* report = find_object(state, "report"))
    print("\n" + harmless(find_string(*report, "report").value_or(""), false));
  else if (find_bool(state, "resumable").value_or(false))
    print(how_to_resume(record.id));
  return {};
}

std::string how_to_resume(const std::string& id) {
  return fmt::format("holdfast research resume {} goes on where it was\n", id);
}

}  // namespace holdfast::cli
