// holdfast run list|show|cancel, in words.

#include "cli/transcripts/transcript_work.h"
#include "kinds/runner/run_export.h"
#include "operations/runner/runs.h"
#include "operations/table.h"

#include <fmt/format.h>

namespace holdfast::cli {

std::string run_entry_note(const session::Entry& entry) {
  const auto data = parse_json(entry.data.empty() ? "{}" : entry.data);
  if (!data || !data->is_object()) return {};
  const JsonObject& object = data->as_object();
  const auto text = [&](std::string_view name) { return find_string(object, name).value_or(""); };
  const auto count = [&](std::string_view name) { return find_int(object, name).value_or(0); };
  if (entry.type == "task") return std::string(text("id"));
  if (entry.type == "tool_call")
    return fmt::format("{} {}{}", text("name"), text("arguments"),
                       find_bool(object, "is_error").value_or(false) ? " failed" : "");
  if (entry.type == "round")
    return fmt::format("{} of task {}, {} call{}", count("round"), count("index") + 1, count("calls"),
                       count("calls") == 1 ? "" : "s");
  if (entry.type != "result") return {};
  const JsonObject* error = find_object(object, "error");
  return fmt::format("{}: {}{}{}", text("id"), text("status"), error ? ", " : "",
                     error ? find_string(*error, "message").value_or("") : "");
}

std::string runs_text(const JsonObject& facts, const Context& context) {
  Table table({{"RUN"}, {"STATUS"}, {"DONE", true}, {"FAILED", true}, {"FIRST TASK", false, true}});
  const JsonArray& runs = *find_array(facts, "sessions");
  for (const Json& each : runs) {
    const JsonObject& run = each.as_object();
    const auto count = [&](std::string_view name) { return find_int(run, name).value_or(0); };
    table.add({text_in(run, "id"), text_in(run, "status"), fmt::format("{}/{}", count("tasks_done"), count("tasks")),
               std::to_string(count("tasks_failed")), text_in(run, "title")});
  }
  return runs.empty() ? "no runs\n" : table.text(context.terminal);
}

std::string cancelled_run_text(const JsonObject& facts, const Context&) {
  return fmt::format("{} is cancelled; what is done is kept\n", text_in(facts, "run_id"));
}

// A document of its own for people.
Result<void> show_task_run(Context& context) {
  HF_TRY(const auto work, TranscriptWork::begin(context, TranscriptWork::Died::leave));
  if (context.json) {  // also of `sessions resume`
    HF_TRY(const operations::Facts facts,
           context.command->is_operation ? work->perform() : operations::find_operation("run show")->run(*work, context.given));
    print_json(facts);
    return {};
  }
  HF_TRY(const session::SessionRecord record, operations::named_run(*work, context.given.text("session")));
  HF_TRY(session::Store* const store, work->store(false));
  HF_TRY(const std::string text, runner::export_report(*store, record.id, "markdown"));
  print(context.terminal.width > 0 ? harmless(text, false) : text);
  return {};
}

}  // namespace holdfast::cli
