// holdfast clone.

#include "catalogue/copies.h"
#include "cli/program/context.h"
#include "cli/program/launch.h"
#include "cli/transcripts/copy_text.h"

namespace holdfast::cli {

Result<void> clone_transcript(Context& context) {
  HF_TRY(auto work, TranscriptWork::begin(context));
  const operations::Given& given = work->given();
  transcripts::CloneOptions options;
  HF_TRY(options.target_project, work->target_project());
  HF_TRY(options.level, work->level());
  HF_TRY(options.maps, work->maps());
  options.fresh_uuids = given.flag("fresh_uuids");
  options.translate_files = given.flag("translate_files");
  options.up_to = given.text("up_to");
  options.dry_run = given.flag("dry_run");
  HF_TRY(const auto found, work->transcript(given.text("session")));
  HF_TRY(const auto line, catalogue::line_of(work->keeper(), nullptr, found));
  HF_CHECK(check_launch(context, *work, line.session.product()));
  HF_TRY(const std::string here, work->this_folder());
  HF_TRY(const auto result, catalogue::clone(work->keeper(), found, options, here, work->progress()));
  return finish_copy(context, *work, line.session.product(), result);
}

}  // namespace holdfast::cli
