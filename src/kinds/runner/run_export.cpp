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

}  // namespace holdfast::runner
