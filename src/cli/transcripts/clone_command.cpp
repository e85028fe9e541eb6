// holdfast clone.

#include "cli/arguments/commands.h"
#include "cli/program/launch.h"
#include "cli/transcripts/copy_text.h"
#include "kinds/transcripts/reading/session_info.h"

namespace holdfast::cli {

namespace {

// A copy out of the guard is a restore that gives a new id.
Result<void> clone_kept(Context& context, TranscriptWork& work, const TranscriptWork::Readable& kept,
                        const transcripts::CloneOptions& wanted) {
  if (!wanted.up_to.empty() || wanted.fresh_uuids || wanted.translate_files) {
    return fail(ErrorKind::invalid, "of a session that only the guard has there are whole copies only",
                "put it back with " + transcripts::restore_command(kept.session) + ", then clone that");
  }
  transcripts::RestoreOptions options;
  options.target_project = wanted.target_project;
  if (!options.target_project) {
    HF_TRY(std::string project, kept.keeper->homes().project_of(kept.session));
    if (!project.empty()) options.target_project = std::move(project);
  }
  HF_TRY(options.current_folder, work.this_folder());
  options.level = wanted.level;
  options.maps = wanted.maps;
  options.dry_run = wanted.dry_run;
  const transcripts::Progress progress = work.progress();
  HF_TRY(auto archive, transcripts::open_archive(work.keeper(), kept.session.id(), work.remote(), progress));
  options.trusted = archive.trusted;
  HF_TRY(const auto result, work.keeper().restore(std::move(archive.file), archive.origin, options, progress));
  return finish_copy(context, work, kept.session.product(), result);
}

}  // namespace

Result<void> clone_transcript(Context& context) {
  HF_TRY(auto work, TranscriptWork::begin(context));
  const TranscriptArguments& given = work->given();
  transcripts::CloneOptions options;
  HF_TRY(options.target_project, work->target_project());
  HF_TRY(options.level, work->level());
  HF_TRY(options.maps, work->maps());
  options.fresh_uuids = given.fresh_uuids;
  options.translate_files = given.translate_files;
  options.up_to = given.up_to;
  options.dry_run = given.dry_run;
  HF_TRY(const auto readable, work->session_to_read(given.words.empty() ? "" : given.words.front()));
  const transcripts::AnySession& session = readable.session;
  HF_CHECK(check_launch(context, *work, session.product()));
  if (readable.kept) return clone_kept(context, *work, readable, options);
  HF_TRY(const auto result, work->keeper().clone(session, options, work->progress()));
  return finish_copy(context, *work, session.product(), result);
}

}  // namespace holdfast::cli
