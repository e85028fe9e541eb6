#include "kinds/transcripts/verbs/verify.h"

#include <fmt/format.h>

namespace holdfast::transcripts {
namespace {

class Ignore final : public Receiver {
 public:
  Result<void> begin(const Artifact&) override { return {}; }
  Result<void> line(const Piece&) override { return {}; }
  Result<void> bytes(std::string_view) override { return {}; }
  Result<void> end() override { return {}; }
};

void add(VerifyReport& report, Finding::Severity severity, std::string what) {
  if (severity == Finding::Severity::damage) report.ok = false;
  if (report.findings.size() < kMaxFindings)
    report.findings.push_back({severity, {}, 0, std::move(what)});
  else
    ++report.more;
}

}  // namespace

Result<VerifyReport> verify_archive(ArchiveReader& archive, const Progress& progress) {
  using enum Finding::Severity;
  VerifyReport report;
  Ignore ignore;
  const auto counts = archive.read(ignore, progress);
  for (const std::string& text : archive.warnings()) add(report, warning, text);
  if (!counts) {
    const ErrorKind kind = counts.error().kind;
    if (kind != ErrorKind::corrupt && kind != ErrorKind::too_large) return fail(counts.error());
    add(report, damage, counts.error().message);
    return report;
  }
  report.files = counts->files;
  report.records = counts->main_records + counts->agent_records;
  for (const ArchiveCounts::File& file : counts->per_file) report.bytes += file.bytes;
  if (!archive.header().byte_true) add(report, note, "written by another program: it has no hashes, only its form was checked");
  if (archive.header().redacted) add(report, note, "credentials were masked: it is not the session as it was");
  if (counts->irregular_lines > 0)
    add(report, note, fmt::format("{} lines are no records, and kept as they are", counts->irregular_lines));
  return report;
}

}  // namespace holdfast::transcripts
