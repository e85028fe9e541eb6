// holdfast archive|restore|clone|move|delete|relocate: operations of the table, and what they tell in words.

#include "cli/program/launch.h"
#include "cli/transcripts/transcript_text.h"
#include "cli/transcripts/transcript_work.h"

#include <fmt/format.h>

#include <unistd.h>

namespace holdfast::cli {

using operations::Facts;

namespace {

// Prints the session that was made, then starts its client when that was asked for.
Result<void> finish(Context& context, TranscriptWork& work, const Facts& facts, const std::string& text, std::string_view id,
                    std::string_view project) {
  if (context.json)
    print_json(facts);
  else
    print(text);
  if (!work.given().flag("launch") || find_bool(facts, "was_dry_run").value_or(false)) return {};
  return launch(context, text_in(facts, "product"), text_in(facts, project), text_in(facts, id));
}

}  // namespace

Result<void> archive_transcript(Context& context) {
  HF_TRY(auto work, TranscriptWork::begin(context));
  const bool printed = work->given().text("output") == kStandardOutput;
  if (printed && context.json)
    return fail(ErrorKind::invalid, "--json and the archive both want standard output", "leave --json out, or name a file");
  if (printed && work->given().text("format") != "json" && ::isatty(STDOUT_FILENO) != 0)
    return fail(ErrorKind::refused, "a compressed archive is nothing for a terminal", "redirect it, or ask for {format} json");
  HF_TRY(const Facts facts, work->perform());
  const bool of_store = facts.contains("entries");
  const std::string text = of_store ? kept_archive_text(facts, printed ? Terminal{} : context.terminal)
                                    : archive_text(facts, printed ? Terminal{} : context.terminal, context.verbose);
  if (context.json)
    print_json(facts);
  else if (!printed)
    print(text);
  else if (!of_store)
    print_note(text);
  return {};
}

Result<void> restore_transcript(Context& context) {
  HF_TRY(auto work, TranscriptWork::begin(context));
  HF_CHECK(check_launch(context, *work, "claude"));
  HF_TRY(const Facts facts, work->perform());
  if (!facts.contains("new_session_id")) {
    if (context.json)
      print_json(facts);
    else
      print(kept_restore_text(facts, context.terminal));
    return {};
  }
  return finish(context, *work, facts, copy_text(facts, context.terminal, context.verbose), "new_session_id", "project_path");
}

Result<void> clone_transcript(Context& context) {
  HF_TRY(auto work, TranscriptWork::begin(context));
  if (work->given().flag("launch")) {
    HF_TRY(const auto found, work->named_transcript());
    HF_TRY(const auto line, catalogue::line_of(work->homes_keeper(), nullptr, found));
    HF_CHECK(check_launch(context, *work, line.session.product()));
  }
  HF_TRY(const Facts facts, work->perform());
  return finish(context, *work, facts, copy_text(facts, context.terminal, context.verbose), "new_session_id", "project_path");
}

Result<void> move_transcript(Context& context) {
  HF_TRY(auto work, TranscriptWork::begin(context));
  if (work->given().flag("launch")) {
    HF_TRY(const auto session, catalogue::on_disk(work->named_transcript()));
    HF_CHECK(check_launch(context, *work, session.product()));
  }
  HF_TRY(const Facts facts, work->perform());
  return finish(context, *work, facts, move_text(facts, context.terminal), "session_id", "target_project");
}

Result<void> delete_transcript(Context& context) {
  HF_TRY(auto work, TranscriptWork::begin(context));
  HF_TRY(const Facts facts, work->perform());
  if (context.json)
    print_json(facts);
  else
    print(delete_text(facts, context.terminal, context.verbose));
  return {};
}

Result<void> relocate_transcripts(Context& context) {
  HF_TRY(auto work, TranscriptWork::begin(context));
  work->show_plans_as(relocate_text);
  HF_TRY(const Facts facts, work->perform());
  if (context.json)
    print_json(facts);
  else
    print(relocate_text(facts, context.terminal));
  if (find_bool(facts, "moved_before").value_or(false))
    print_note(fmt::format("note: the sessions of {} were moved to {} before: nothing was moved now\n",
                           text_in(facts, "old_path"), text_in(facts, "new_path")));
  for (const Json& each : *find_array(facts, "moved"))
    if (const JsonArray* warnings = find_array(each.get_object(), "warnings"))
      for (const Json& warning : *warnings) work->warn({std::string(view(warning.as_string()))});
  const std::size_t failed = find_array(facts, "failed")->size();
  if (failed == 0 || work->given().flag("dry_run")) return {};
  return fail(ErrorKind::refused, fmt::format("{} sessions could not be moved", failed),
              "the reasons are above; the others are where they should be");
}

}  // namespace holdfast::cli
