// holdfast doctor.

#include "cli/program/context.h"
#include "cli/transcripts/transcript_work.h"
#include "kinds/transcripts/verbs/doctor.h"
#include "session/query/display.h"

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

std::string sick_text(const DoctorReport::Sick& sick) {
  std::string out = fmt::format("  {}\n", sick.place.transcript());
  for (const auto& finding : sick.report.findings)
    out +=
        fmt::format("    {}{}\n", finding.line > 0 ? fmt::format("line {}: ", finding.line) : "", harmless(finding.what, true));
  return out;
}

// Why --fix does nothing about a damaged one; empty: it does.
std::string state_text(const DoctorReport::Sick& sick) {
  if (!sick.repaired_in.empty()) return fmt::format("    repaired in the copy {}\n", sick.repaired_in);
  if (sick.in_use) return "    in use: not repaired before it is at rest\n";
  return sick.to_repair() ? "" : "    no copy would be better\n";
}

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
  const auto is_damaged = [](const DoctorReport::Sick& each) { return !each.report.ok; };
  if (std::ranges::any_of(report.sick, is_damaged)) heading("Damaged transcripts (--fix writes repaired copies)");
  for (const auto& each : report.sick)
    if (is_damaged(each)) out += sick_text(each) + state_text(each);
  if (!std::ranges::all_of(report.sick, is_damaged)) heading("Odd transcripts (nothing is lost, the client copes)");
  for (const auto& each : report.sick)
    if (!is_damaged(each)) out += sick_text(each);
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
  if (report.healthy())
    out += report.sick.empty() && report.stale_indexes.empty() ? "all is well\n" : "nothing is damaged; the list does no harm\n";
  return out;
}

std::vector<Repair> repair(const TranscriptWork& work, const DoctorReport& report) {
  std::vector<Repair> repairs;
  for (const auto& each : report.sick) {
    if (!each.to_repair()) continue;
    auto copy = work.homes_keeper().repair({each.place, 0, 0}, transcripts::id_of_repaired(each.place, each.report));
    if (copy)
      repairs.push_back({each.place.session_id, copy->new_session_id, {}, std::move(copy->warnings)});
    else
      repairs.push_back({each.place.session_id, {}, std::move(copy).error(), {}});
  }
  return repairs;
}

}  // namespace

Result<void> examine_transcripts(Context& context) {
  // To be looked at, what died half way must lie as it is.
  const auto died = context.given.flag("fix") ? TranscriptWork::Died::end : TranscriptWork::Died::leave;
  HF_TRY(auto work, TranscriptWork::begin(context, died));
  const operations::Given& given = work->given();
  transcripts::DoctorOptions options;
  HF_TRY(options.project_path, work->source_project());
  options.deep = !given.flag("quick");
  if (const auto days = given.number("days")) options.warn_days = static_cast<int>(*days);
  options.now = work->homes_keeper().now();
  HF_TRY(const DoctorReport report, transcripts::examine(work->homes().claude, options, work->progress()));
  std::vector<Repair> repairs;
  if (given.flag("fix")) repairs = repair(*work, report);
  work->progress_done();
  if (context.json) {
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
