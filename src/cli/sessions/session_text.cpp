#include "cli/sessions/session_text.h"

#include "session/kinds.h"

#include <fmt/format.h>

namespace holdfast::cli {

namespace {

void print_thread(const Terminal& terminal, const JsonObject& facts, const JsonObject& item) {
  print(fmt::format(
      "{} {}\n", terminal.bold(harmless(text_in(item, "title"), true)),
      terminal.soft(fmt::format("{} ({}, {})", text_in(item, "id"), text_in(item, "aspect"), text_in(item, "status")))));
  if (find_bool(facts, "has_earlier").value_or(false)) print(terminal.soft("(earlier messages are left out)") + "\n");
  for (const Json& each : *find_array(facts, "messages")) {
    const JsonObject& message = each.as_object();
    const auto damage = find_string(message, "damage");
    print(fmt::format("\n{} {}\n{}{}\n", terminal.bold(text_in(message, "role")), terminal.soft(text_in(message, "created_at")),
                      damage ? fmt::format("damaged: {}\n", harmless(*damage, true)) : "",
                      harmless(text_in(message, "content"), false)));
  }
}

void print_run(const Context& context, const JsonObject& facts, const std::string& id) {
  print_run_status(context, facts);
  if (const JsonObject* report = find_object(facts, "report"))
    print("\n" + harmless(text_in(*report, "report"), false));
  else if (find_bool(facts, "resumable").value_or(false))
    print(how_to_resume(id));
}

}  // namespace

Result<void> show_where_it_stands(SessionWork& work, const Context& context, const session::SessionRecord& record) {
  HF_TRY(operations::Facts facts, work.perform_for("resume", record, {}));
  const JsonObject item = *find_object(facts, "session");
  facts.erase("session");
  if (context.json)
    print_json(facts);
  else if (record.kind == session::kThread)
    print_thread(context.terminal, facts, item);
  else
    print_run(context, facts, record.id);
  return {};
}

void print_report(const Context& context, const JsonObject& report) {
  const std::string text = text_in(report, "report");
  print(context.terminal.width > 0 ? harmless(text, false) : text);
  print_warnings(report);
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

std::string how_to_resume(const std::string& id) {
  return fmt::format("holdfast research resume {} goes on where it was\n", id);
}

}  // namespace holdfast::cli
