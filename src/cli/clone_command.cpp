// holdfast clone.

#include "cli/commands.h"
#include "cli/copy_text.h"
#include "cli/launch.h"

namespace holdfast::cli {

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
  HF_TRY(const auto session, work->session(given.words.empty() ? "" : given.words.front()));
  HF_CHECK(check_launch(context, *work, session.product()));
  HF_TRY(const auto result, work->keeper().clone(session, options, work->progress()));
  return finish_copy(context, *work, session.product(), result);
}

}  // namespace holdfast::cli
