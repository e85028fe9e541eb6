#include "cli/transcripts/move_text.h"

#include "cli/transcripts/copy_text.h"

#include <fmt/format.h>

namespace holdfast::cli {

Result<transcripts::MoveOptions> move_options(const TranscriptWork& work) {
  const operations::Given& given = work.given();
  transcripts::MoveOptions options;
  HF_TRY(options.level, work.level());
  HF_TRY(options.maps, work.maps());
  options.force = given.flag("force");
  options.terminate = given.flag("terminate");
  options.no_backup = given.flag("no_backup");
  options.dry_run = given.flag("dry_run");
  options.caller_sessions = work.caller_sessions();
  return options;
}

std::string move_text(const transcripts::MoveResult& result, const Terminal& terminal) {
  std::string out;
  auto line = [&](std::string_view name, const std::string& value) {
    if (!value.empty()) out += fmt::format("{} {}\n", terminal.soft(fmt::format("{:<9}", name)), harmless(value, true));
  };
  line(result.was_dry_run ? "would go" : "session", result.session_id);
  line("title", result.custom_title);
  line("from", result.source_project);
  line("to", result.target_project);
  line("files", fmt::format("{} moved", result.files_moved));
  line("with", parts_text(result.moved));
  if (result.rewritten.paths > 0) line("paths", fmt::format("{} translated", result.rewritten.paths));
  if (result.was_dry_run)
    for (const std::string& sample : result.rewritten.samples) line("", sample);
  if (result.was_terminated) line("ended", "the client that had it open");
  line("backup", result.backup_path);
  line("undo", result.undo_command);
  if (!result.was_dry_run) line("resume", result.resume_command);
  return out;
}

}  // namespace holdfast::cli
