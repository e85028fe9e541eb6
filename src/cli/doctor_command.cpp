// holdfast doctor.

#include "cli/commands.h"
#include "cli/transcript_work.h"
#include "session/display.h"
#include "transcripts/doctor.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace holdfast::cli {

namespace {

using transcripts::DoctorReport;

struct Repair {
  std::string session_id, copy;  // the copy's id
  std::optional<Error> error;
  std::vector<std::string> warnings;
};

std::string doctor_text(const DoctorReport& report, const Terminal& terminal) {
  std::string out;
  auto heading = [&](std::string_view text) { out += terminal.bold(text) + "\n"; };
  const auto is_unknown = [](const transcripts::Leftover& leftover) { return !leftover.trouble.empty(); };
  if (!std::ranges::all_of(report.leftovers, is_unknown)) heading("Operations that ended half-way (--fix ends them)");
  for (const auto& each : report.leftovers)
    if (!is_unknown(each))
      out += fmt::format("  {} of {}, {}: would be {}\n", harmless(each.what, true), harmless(each.about, true),
                         iso8601(each.began_at), each.finishing ? "finished" : "undone");
  if (std::ranges::any_of(report.leftovers, is_unknown)) heading("Operations that ended half-way and left no journal to go by");
  for (const auto& each : report.leftovers)
    if (is_unknown(each)) out += fmt::format("  {}: {}\n", harmless(each.folder, true), harmless(each.trouble, true));
  if (!report.sick.empty()) heading("Damaged transcripts (--fix writes repaired copies)");
  for (const auto& each : report.sick) {
    out += fmt::format("  {}\n", each.place.transcript());
    for (const auto& finding : each.report.findings)
      out +=
          fmt::format("    {}{}\n", finding.line > 0 ? fmt::format("line {}: ", finding.line) : "", harmless(finding.what, true));
  }
  if (!report.duplicates.empty()) heading("One id in several projects");
  for (const auto& each : report.duplicates)
    out += fmt::format("  {}: {}\n", each.session_id, harmless(fmt::format("{}", fmt::join(each.project_folders, ", ")), true));
  if (!report.expiring.empty()) heading("Soon to be removed by Claude Code's clean-up");
  for (const auto& each : report.expiring)
    out += fmt::format("  {}  {}  {}\n", each.place.session_id, iso8601(each.at), harmless(each.title, true));
  if (!report.stale_indexes.empty()) heading("Indexes that do not fit their folder (harmless; the client rewrites them)");
  for (const std::string& each : report.stale_indexes) out += fmt::format("  {}\n", harmless(each, true));
  out +=
      fmt::format("{} sessions, {}; clean-up after {} days ({})\n", report.sessions, size_text(report.bytes), report.cleanup_days,
                  report.cleanup_is_default ? "the client's default" : harmless(report.cleanup_source, true));
  for (const std::string& each : report.advice) out += harmless(each, true) + "\n";
  if (report.healthy()) out += "all is well\n";
  return out;
}

Result<std::vector<Repair>> repair(const TranscriptWork& work, const DoctorReport& report) {
  // One that cannot be ended is in the report already, and keeps nothing else from being repaired.
  const auto ended = recover(work.homes().claude);
  if (!ended && ended.error().kind != ErrorKind::corrupt && ended.error().kind != ErrorKind::conflict) return fail(ended.error());
  std::vector<Repair> repairs;
  for (const auto& each : report.sick) {
    auto copy = work.keeper().repair({each.place, 0, 0});
    if (copy)
      repairs.push_back({each.place.session_id, copy->new_session_id, {}, std::move(copy->warnings)});
    else
      repairs.push_back({each.place.session_id, {}, std::move(copy).error(), {}});
  }
  return repairs;
}

}  // namespace

Result<void> examine_transcripts(Context& context) {
  HF_TRY(auto work, TranscriptWork::begin(context));
  const TranscriptArguments& given = work->given();
  transcripts::DoctorOptions options;
  HF_TRY(options.project_path, work->source_project());
  options.deep = !given.quick;
  if (given.days > 0) options.warn_days = static_cast<int>(given.days);
  options.now = work->keeper().now();
  HF_TRY(const DoctorReport report, transcripts::examine(work->homes().claude, options, work->progress()));
  std::vector<Repair> repairs;
  if (given.fix) {
    HF_TRY(repairs, repair(*work, report));
  }
  work->progress_done();
  if (context.line.json) {
    JsonObject fields = to_json(report);
    JsonArray repaired;
    for (const Repair& each : repairs)
      repaired.push_back(JsonObject{{"session_id", each.session_id},
                                    {"repaired_session_id", each.copy.empty() ? Json(nullptr) : Json(each.copy)},
                                    {"error", each.error ? Json(each.error->message) : Json(nullptr)}});
    fields["repaired"] = std::move(repaired);
    print_json(fields);
    return {};
  }
  print(doctor_text(report, context.terminal));
  for (const Repair& each : repairs) {
    for (const std::string& warning : each.warnings) print(harmless(warning, true) + "\n");
    print(each.error ? fmt::format("{} is not repaired: {}\n", each.session_id, harmless(each.error->message, true))
                     : fmt::format("{} is repaired in the copy {}\n", each.session_id, each.copy));
  }
  return {};
}

}  // namespace holdfast::cli
