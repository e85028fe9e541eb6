// holdfast restore.

#include "cli/commands.h"
#include "cli/copy_text.h"
#include "cli/kept_session.h"
#include "cli/launch.h"

namespace holdfast::cli {

Result<void> restore_transcript(Context& context) {
  HF_TRY(auto work, TranscriptWork::begin(context));
  const TranscriptArguments& given = work->given();
  HF_CHECK(check_launch(context, *work, "claude"));
  transcripts::RestoreOptions options;
  options.in_place = given.in_place;
  HF_TRY(options.target_project, work->target_project());
  HF_TRY(options.current_folder, work->this_folder());
  HF_TRY(options.level, work->level());
  HF_TRY(options.maps, work->maps());
  options.dry_run = given.dry_run;
  if (given.with_session_env) options.session_env = transcripts::SessionEnv::always;
  if (given.no_session_env) options.session_env = transcripts::SessionEnv::never;
  const transcripts::Progress progress = work->progress();
  HF_TRY(auto archive, transcripts::open_archive(work->keeper(), given.words.front(), work->remote(), progress));
  HF_TRY(const bool kept, is_kept_session(archive.file));
  if (kept) return restore_kept_session(context, *work, archive.file, archive.origin);
  if (given.new_id)
    return fail(ErrorKind::invalid, "--new-id is for sessions of the store", "a transcript gets another id unless --in-place");
  HF_TRY(const auto result, work->keeper().restore(std::move(archive.file), archive.origin, options, progress));
  const bool codex = result.resume_command.starts_with("codex ");
  return finish_copy(context, *work, codex ? "codex" : "claude", result);
}

}  // namespace holdfast::cli
