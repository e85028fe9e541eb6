#include "kinds/runner/run_export.h"

#include "base/text/text.h"
#include "kinds/runner/run_journal.h"

#include <fmt/format.h>

namespace holdfast::runner {
namespace {

std::string counted(std::int64_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

// Each line behind "> ".
std::string block_quote(std::string_view text) {
  std::string out = "> ";
  for (const char c : text) {
    out += c;
    if (c == '\n') out += "> ";
  }
  return out;
}

std::string to_markdown(const RunReport& report, const RunRequest& request) {
  std::string text = fmt::format("# Run {}: {}\n", report.id, report.status);
  if (!report.interruption.empty()) text += fmt::format("\nInterrupted: {}\n", report.interruption);
  for (const std::string& problem : report.problems) text += fmt::format("\n- {}\n", problem);
  for (const TaskResult& result : report.results) {
    text += fmt::format("\n## {}: {}\n\n{}\n", result.id, result.status, block_quote(request.tasks[result.index].text));
    if (result.status == "skipped") continue;
    if (!trim(result.text).empty()) text += fmt::format("\n{}\n", trim(result.text));
    if (result.error)
      text += fmt::format("\nError: {}\n{}", result.error->message,
                          result.error->hint.empty() ? "" : fmt::format("({})\n", result.error->hint));
    text += fmt::format("\n({})\n", effort_text(result));
  }
  return text;
}

using reading::Part;

void add_call(const session::Entry& entry, const JsonObject& data, const reading::ReadLimits& limits, reading::Turn& turn) {
  Part& call = add_part(turn, Part::Kind::tool_call, "", limits);
  call.name = text_in(data, "name");
  const std::string arguments = text_in(data, "arguments");
  if (auto parsed = parse_json(arguments); parsed && parsed->is_object())
    call.arguments = std::move(parsed->get_object());
  else if (!arguments.empty())
    call.arguments["arguments"] = arguments;
  reading::ToolResult result;
  result.output = reading::cut_text(entry.text, limits.text_bytes);
  result.error = find_bool(data, "is_error").value_or(false);
  result.line = turn.line;
  call.result = std::move(result);
}

}  // namespace

std::string effort_text(const TaskResult& result) {
  std::string text = fmt::format("{}, {}", counted(result.rounds, "round"), counted(result.tool_calls, "call"));
  if (result.tool_errors > 0) text += fmt::format(" ({} failed)", result.tool_errors);
  return text + fmt::format(", {:.1f} s", static_cast<double>(result.duration_ms) / 1000);
}

Result<std::string> export_report(session::Reader& reader, std::string_view id, std::string_view format) {
  if (format != "markdown" && format != "json")
    return fail(ErrorKind::invalid, fmt::format("there is no format {}", format), "markdown or json", "invalid_argument");
  HF_TRY(const RunReport report, read_report(reader, id));
  if (format == "json") return to_json_pretty(Json(report_json(report)));
  HF_TRY(const RunState state, read_run(reader, id));
  return to_markdown(report, state.request);
}

bool turn_of_entry(const session::Entry& entry, const reading::ReadLimits& limits, reading::Turn& turn) {
  const JsonObject data = reading::data_of_entry(entry);
  turn.role = reading::Role::assistant;
  if (entry.type == "task") {
    turn.role = reading::Role::user;
    turn.prompt = true;
    turn.author = text_in(data, "id");
    add_part(turn, Part::Kind::text, entry.text, limits);
  } else if (entry.type == "round") {
    turn.author = text_in(data, "model");
    if (const std::string thinking = text_in(data, "reasoning"); !thinking.empty())
      add_part(turn, Part::Kind::thinking, thinking, limits);
    if (!entry.text.empty()) add_part(turn, Part::Kind::text, entry.text, limits);
    return !turn.parts.empty();  // a round of tool calls alone: they follow
  } else if (entry.type == "tool_call") {
    add_call(entry, data, limits, turn);
  } else if (entry.type == "result") {
    turn.role = reading::Role::system;
    turn.error = text_in(data, "status") == "failed";
    add_part(turn, Part::Kind::notice, "", limits).name =
        fmt::format("task {}: {}", text_in(data, "id"), text_in(data, "status"));
    if (!entry.text.empty()) add_part(turn, Part::Kind::text, entry.text, limits);
  } else {
    turn.role = reading::Role::system;
    turn.meta = entry.type != "problem";
    turn.error = entry.type == "problem";
    add_part(turn, Part::Kind::notice, entry.text, limits).name = entry.type;
  }
  return true;
}

}  // namespace holdfast::runner
