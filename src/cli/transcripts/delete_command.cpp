// holdfast delete.

#include "cli/program/context.h"
#include "cli/transcripts/copy_text.h"

#include <fmt/format.h>

namespace holdfast::cli {

namespace {

std::string erase_text(const transcripts::EraseResult& result, const Terminal& terminal, bool verbose) {
  std::string out;
  auto line = [&](std::string_view name, const std::string& value) {
    if (!value.empty()) out += fmt::format("{} {}\n", terminal.soft(fmt::format("{:<9}", name)), harmless(value, true));
  };
  line(result.was_dry_run ? "would go" : "deleted", result.session_id);
  line("title", result.custom_title);
  line("project", result.project_path);
  line("files", fmt::format("{}, {}", result.deleted_files.size(), size_text(result.size_freed)));
  line("with", parts_text(result.counts));
  if (verbose || result.was_dry_run)
    for (const std::string& file : result.deleted_files) line("", file);
  for (const std::string& each : result.kept) line("kept", each);
  if (result.was_terminated) line("ended", "the client that had it open");
  line("backup", result.backup_path);
  line("undo", result.undo_command);
  return out;
}

}  // namespace

Result<void> delete_transcript(Context& context) {
  HF_TRY(auto work, TranscriptWork::begin(context));
  const operations::Given& given = work->given();
  transcripts::EraseOptions options;
  options.force = given.flag("force");
  options.terminate = given.flag("terminate");
  options.no_backup = given.flag("no_backup");
  options.dry_run = given.flag("dry_run");
  options.cross_session_artifacts = given.choice("delete_cross_session_artifacts");
  options.caller_sessions = work->caller_sessions();
  const std::string id = given.text("session");
  const auto session = catalogue::on_disk(work->transcript(id));
  HF_TRY(const auto result, session ? work->keeper().erase(*session, options, work->progress())
                                    : work->keeper().finished_erase(work->recovered(), id, options, session.error()));
  work->progress_done();
  if (context.json)
    print_json(to_json(result));
  else
    print(erase_text(result, context.terminal, context.verbose));
  work->warn(result.warnings);
  return {};
}

}  // namespace holdfast::cli
