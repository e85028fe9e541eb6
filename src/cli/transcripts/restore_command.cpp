// holdfast restore.

#include "catalogue/copies.h"
#include "cli/program/context.h"
#include "cli/program/launch.h"
#include "cli/transcripts/copy_text.h"
#include "cli/transcripts/kept_session.h"
#include "kinds/transcripts/guard/restore_kept.h"

#include <unistd.h>

namespace holdfast::cli {

Result<void> restore_transcript(Context& context) {
  HF_TRY(auto work, TranscriptWork::begin(context));
  const operations::Given& given = work->given();
  HF_CHECK(check_launch(context, *work, "claude"));
  transcripts::RestoreOptions options;
  options.in_place = given.flag("in_place");
  HF_TRY(options.target_project, work->target_project());
  HF_TRY(options.current_folder, work->this_folder());
  HF_TRY(options.level, work->level());
  HF_TRY(options.maps, work->maps());
  options.dry_run = given.flag("dry_run");
  options.caller_sessions = work->caller_sessions();
  if (given.flag("with_session_env")) options.session_env = transcripts::SessionEnv::always;
  if (given.flag("no_session_env")) options.session_env = transcripts::SessionEnv::never;
  const transcripts::Progress progress = work->progress();
  HF_TRY(const auto version, work->kept_version());
  const bool asks_for_version = version.number || version.as_of;
  HF_TRY(const auto copy, catalogue::copy_at_place(work->keeper(), given.text("archive"), asks_for_version));
  if (!copy && asks_for_version)
    return fail(ErrorKind::invalid, "--version and --as-of are for sessions that the guard has", "give the id of one");
  // Where it was: straight from the guard. Elsewhere its paths are translated, as those of any archive.
  if (copy && copy->in_guard() && options.in_place && !options.target_project) {
    HF_TRY(const auto kept, transcripts::KeptLines(work->keeper()).transcript(*copy->in_guard(), version));
    const transcripts::RestoreKeptOptions kept_options{version, options.session_env != transcripts::SessionEnv::never,
                                                       options.dry_run};
    HF_TRY(const auto result, restore_kept(work->keeper(), kept, kept_options, progress));
    return finish_copy(context, *work, kept.line.session.product(), result);
  }
  HF_TRY(auto archive, copy ? catalogue::open_copy(work->keeper(), *copy, progress, version)
                            : transcripts::open_archive(work->keeper(), given.text("archive"), work->remote(), progress));
  options.trusted = archive.trusted;
  HF_TRY(const bool kept, is_kept_session(archive.file));
  if (kept) return restore_kept_session(context, *work, archive.file, archive.origin);
  if (given.flag("new_id")) {
    // What is no archive at all is told first.
    HF_CHECK(transcripts::ArchiveReader::open(Fd(::dup(archive.file.get()))));
    return fail(ErrorKind::invalid, "--new-id is for sessions of the store", "a transcript gets another id unless --in-place");
  }
  const std::vector<std::string> left_out = std::move(archive.left_out);
  HF_TRY(auto result, work->keeper().restore(std::move(archive.file), archive.origin, options, progress));
  result.left_out.insert(result.left_out.end(), left_out.begin(), left_out.end());
  const bool codex = result.resume_command.starts_with("codex ");
  return finish_copy(context, *work, codex ? "codex" : "claude", result);
}

}  // namespace holdfast::cli
