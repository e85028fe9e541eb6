// holdfast move.

#include "cli/program/context.h"
#include "cli/program/launch.h"
#include "cli/transcripts/move_text.h"

namespace holdfast::cli {

Result<void> move_transcript(Context& context) {
  HF_TRY(auto work, TranscriptWork::begin(context));
  HF_TRY(auto options, move_options(*work));
  HF_TRY(const auto target, work->target_project());
  if (target) {
    options.target_project = *target;
  } else {
    HF_TRY(options.target_project, work->this_folder());
  }
  HF_TRY(const auto session, catalogue::on_disk(work->transcript(context.given.text("session"))));
  HF_CHECK(check_launch(context, *work, session.product()));
  HF_TRY(const auto result, work->keeper().move(session, options, work->progress()));
  work->progress_done();
  if (context.json)
    print_json(to_json(result));
  else
    print(move_text(result, context.terminal));
  work->warn(result.warnings);
  if (!context.given.flag("launch") || result.was_dry_run) return {};
  return launch(context, session.product(), result.target_project, result.session_id);
}

}  // namespace holdfast::cli
