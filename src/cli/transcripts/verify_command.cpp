// holdfast verify, holdfast schema.

#include "cli/program/context.h"
#include "cli/transcripts/transcript_work.h"
#include "kinds/transcripts/reading/drift.h"
#include "kinds/transcripts/reading/known_records.h"
#include "kinds/transcripts/verbs/verify.h"

#include <fmt/format.h>

#include <filesystem>

namespace holdfast::cli {

namespace {

using transcripts::DriftReport;
using transcripts::Finding;
using transcripts::VerifyReport;

std::string_view word_of(Finding::Severity severity) {
  switch (severity) {
    case Finding::Severity::note:
      return "note";
    case Finding::Severity::warning:
      return "warning";
    case Finding::Severity::damage:
      return "damage";
  }
  return "note";
}

std::string verify_text(const VerifyReport& report) {
  std::string out;
  for (const Finding& finding : report.findings) {
    const std::string line = finding.line > 0 ? fmt::format(":{}", finding.line) : "";
    out += fmt::format("{}: {}{}: {}\n", word_of(finding.severity), harmless(finding.path, true), line,
                       harmless(finding.what, true));
  }
  if (report.more > 0) out += fmt::format("... and {} more\n", report.more);
  return out + fmt::format("{} files, {} records, {}: {}\n", report.files, report.records, size_text(report.bytes),
                           report.ok ? "whole" : "damaged");
}

std::string drift_text(const DriftReport& report) {
  std::string out;
  auto part = [&](std::string_view heading, const std::map<std::string, DriftReport::Seen>& found) {
    for (const auto& [name, seen] : found)
      out += fmt::format("{} {}: {} times, as in {}{}\n", heading, harmless(name, true), seen.count, harmless(seen.example, true),
                         seen.versions.empty() ? "" : fmt::format(" (client {})", harmless(seen.versions, true)));
  };
  part("type", report.types);
  part("field", report.fields);
  part("client version", report.versions);
  part("file", report.files);
  return out + fmt::format("{} sessions, {} records: {}\n", report.sessions, report.records,
                           report.none() ? "nothing new" : "the above is new; it is kept and copied like everything else");
}

// An archive is what is not an id: somewhere else, or a file that exists.
bool is_archive(const std::string& text) {
  std::error_code ignored;
  return text == "-" || transcripts::is_remote(text) || text.find_first_of("/.") != std::string::npos ||
         std::filesystem::exists(text, ignored);
}

Result<VerifyReport> examine(TranscriptWork& work, const std::string& what) {
  const transcripts::Progress progress = work.progress();
  if (is_archive(what)) {
    HF_TRY(auto archive, transcripts::open_archive(work.homes_keeper(), what, work.remote(), progress));
    HF_TRY(auto reader, transcripts::ArchiveReader::open(std::move(archive.file)));
    return verify_archive(reader, progress);
  }
  HF_TRY(const auto found, work.transcript(what, work.given().text("source_project")));
  return catalogue::verify(work.homes_keeper(), found, progress);
}

Result<void> print_drift(Context& context, TranscriptWork& work, const std::string& what) {
  std::vector<transcripts::FoundSession> sessions;
  if (what.empty()) {
    HF_TRY(const auto project, work.source_project());
    HF_TRY(sessions, all_sessions(work.homes().claude, project));
  } else {
    HF_TRY(const auto session, catalogue::on_disk(work.transcript(what, work.given().text("source_project"))));
    if (session.codex())
      return fail(ErrorKind::invalid, "there is no table of Codex's records to compare with", "give a session of Claude Code");
    sessions.push_back(*session.claude());
  }
  HF_TRY(const DriftReport report, find_drift(work.homes().claude, sessions, work.progress()));
  work.progress_done();
  if (context.json)
    print_json(to_json(report));
  else
    print(drift_text(report));
  return {};
}

}  // namespace

Result<void> verify_transcript(Context& context) {
  HF_TRY(auto work, TranscriptWork::begin(context));
  const std::string what = context.given.text("what");
  if (context.given.flag("drift")) return print_drift(context, *work, what);
  HF_TRY(const VerifyReport report, examine(*work, what));
  work->progress_done();
  if (context.json)
    print_json(to_json(report));
  else
    print(verify_text(report));
  if (report.ok) return {};
  return fail(ErrorKind::corrupt, "it is damaged", "what is wrong is named above; holdfast doctor --fix writes repaired copies");
}

Result<void> print_schema(Context&) {
  print(to_json_pretty(transcripts::record_schema()) + "\n");
  return {};
}

}  // namespace holdfast::cli
