#include "jsonl/scan.h"
#include "kinds/transcripts/lines/each_line.h"
#include "kinds/transcripts/lines/parent_links.h"
#include "kinds/transcripts/verbs/verify.h"

#include <fmt/format.h>

#include <array>

namespace holdfast::transcripts {
namespace {

using jsonl::LineShape;
using Severity = Finding::Severity;

std::string_view name_of(Severity severity) {
  switch (severity) {
    case Severity::note:
      return "note";
    case Severity::warning:
      return "warning";
    case Severity::damage:
      return "damage";
  }
  return "damage";
}

// What a line says about itself; nothing for a plain record. Damage is what was lost; a warning is what the client copes with and
// others may not; a note is what is merely odd (docs/transcripts-doctor.md).
struct Judgement {
  Severity severity;
  const char* what;
};
std::optional<Judgement> judge(const jsonl::LineReport& report) {
  switch (report.shape) {
    case LineShape::object:
      if (!report.valid_utf8) return Judgement{Severity::warning, "holds bytes that are not UTF-8"};
      return std::nullopt;
    case LineShape::padded:
      return Judgement{Severity::note, "has blanks or a byte order mark around its record"};
    case LineShape::not_object:
      return Judgement{Severity::warning, "is JSON, but not a record"};
    case LineShape::fused:
      return Judgement{Severity::warning, "holds several records: a newline is missing between them"};
    case LineShape::blank:
      return Judgement{Severity::note, "is blank"};
    case LineShape::nul:
      return Judgement{Severity::damage, "holds NUL bytes in place of a record: a crash left them unwritten"};
    case LineShape::broken:
      return Judgement{Severity::damage, "is not JSON: torn, or two lines written into each other"};
    case LineShape::too_deep:
      return Judgement{Severity::note, "is nested too deeply to be looked into"};
    case LineShape::too_long:
      return Judgement{Severity::note, "is too long to be looked into"};
  }
  return std::nullopt;
}

void add_finding(VerifyReport& report, Finding finding) {
  if (finding.severity == Severity::damage) report.ok = false;
  if (report.findings.size() < kMaxFindings)
    report.findings.push_back(std::move(finding));
  else
    ++report.more;
}

class Verifying {
 public:
  Result<VerifyReport> run(SessionSource& source, const Progress& progress) {
    HF_TRY(const Inventory inventory, source.inventory(progress));
    report_.files = inventory.artifacts.size();
    report_.bytes = inventory.bytes();
    HF_CHECK(each_line(
        source, inventory.artifacts, "verify",
        [&](const Artifact& artifact, const jsonl::Line& line) -> Result<void> {
          if (artifact.path != path_) begin_file(artifact);
          take(line);
          return {};
        },
        progress));
    end_file();
    if (report_.main_records == 0)
      add(Severity::warning, inventory.place.transcript(), 0, "holds no record: it cannot be resumed");
    for (const std::string& path : inventory.left_out)
      add(Severity::note, path, 0, source.on_disk() ? "is not a plain file and was left out" : "was left out");
    return std::move(report_);
  }

 private:
  void begin_file(const Artifact& artifact) {
    end_file();
    path_ = artifact.path;
    is_main_ = artifact.kind == ArtifactKind::main_transcript;
  }

  void end_file() {
    links_.finish([&](LinkProblem problem, std::uint64_t line) {
      switch (problem) {
        case LinkProblem::same_uuid:
          return add(Severity::warning, path_, line, "repeats the uuid of a record before it");
        case LinkProblem::no_parent:
          return add(Severity::warning, path_, line,
                     "names a parent that is not there: the client goes on with the record before it");
        case LinkProblem::circle:
          return add(Severity::damage, path_, line, "is its own ancestor: its parents run in a circle");
      }
    });
  }

  void take(const jsonl::Line& line) {
    if (line.overlong) {
      if (!line.ending.empty()) add(Severity::note, path_, line.number, judge({LineShape::too_long, true})->what);
      return;
    }
    constexpr std::array<std::string_view, 2> kNames = {"uuid", "parentUuid"};
    std::array<jsonl::Token, 2> found;
    const jsonl::LineReport report = scanner_.fields(line.text, kNames, found);
    if (line.ending.empty()) {
      take_tail(line, report);
    } else if (const auto judgement = judge(report)) {
      report_.mendable |= judgement->severity == Severity::damage;
      add(judgement->severity, path_, line.number, judgement->what);
    }
    if (report.parsed()) take_record(line, found);
  }

  // Behind the last newline. A line that is being written right now looks the same as one that a crash tore.
  void take_tail(const jsonl::Line& line, const jsonl::LineReport& report) {
    if (report.parsed()) {
      add(Severity::warning, path_, line.number, "has no newline behind it: the next record will be written into it");
    } else if (report.shape != LineShape::blank) {
      add(Severity::warning, path_, line.number, "ends in the middle: torn, or still being written");
    }
  }

  void take_record(const jsonl::Line& line, const std::array<jsonl::Token, 2>& found) {
    ++report_.records;
    if (is_main_) ++report_.main_records;
    if (found[0].kind != jsonl::TokenKind::string) return;
    links_.add(inside(found[0]), found[1].kind == jsonl::TokenKind::string ? inside(found[1]) : std::string_view(), line.number);
  }

  static std::string_view inside(const jsonl::Token& token) { return token.raw.substr(1, token.raw.size() - 2); }

  void add(Severity severity, const std::string& path, std::uint64_t line, std::string what) {
    add_finding(report_, {severity, path, line, std::move(what)});
  }

  VerifyReport report_;
  std::string path_;  // of the file being read
  bool is_main_ = false;
  ParentLinks links_;
  jsonl::Scanner scanner_;
};

}  // namespace

Result<VerifyReport> verify_archive(ArchiveReader& archive, const Progress& progress) {
  using enum Finding::Severity;
  VerifyReport report;
  const auto add = [&report](Severity severity, std::string what) { add_finding(report, {severity, {}, 0, std::move(what)}); };
  Nobody nobody;
  const auto counts = archive.read(nobody, progress);
  for (const std::string& text : archive.warnings()) add(warning, text);
  if (!counts) {
    const ErrorKind kind = counts.error().kind;
    if (kind != ErrorKind::corrupt && kind != ErrorKind::too_large) return fail(counts.error());
    add(damage, counts.error().message);
    return report;
  }
  report.files = counts->files;
  report.records = counts->main_records + counts->agent_records;
  for (const ArchiveCounts::File& file : counts->per_file) report.bytes += file.bytes;
  if (!archive.header().byte_true) add(note, "written by another program: it has no hashes, only its form was checked");
  if (archive.header().redacted) add(note, "credentials were masked: it is not the session as it was");
  if (counts->irregular_lines > 0)
    add(note, fmt::format("{} lines are no records, and kept as they are", counts->irregular_lines));
  return report;
}

Result<VerifyReport> verify_session(SessionSource& source, const Progress& progress) {
  return Verifying().run(source, progress);
}

JsonObject to_json(const VerifyReport& report) {
  JsonArray findings;
  for (const Finding& finding : report.findings) {
    JsonObject entry{{"severity", name_of(finding.severity)}, {"path", finding.path}};
    if (finding.line > 0) entry["line"] = finding.line;
    entry["what"] = finding.what;
    findings.push_back(std::move(entry));
  }
  return {{"ok", report.ok},       {"files", report.files},           {"records", report.records},
          {"bytes", report.bytes}, {"findings", std::move(findings)}, {"more", report.more}};
}

}  // namespace holdfast::transcripts
