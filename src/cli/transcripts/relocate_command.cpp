// holdfast relocate OLD NEW: shows what it will do, asks, does it.

#include "base/files/at_or_below.h"
#include "cli/program/context.h"
#include "cli/transcripts/move_text.h"
#include "kinds/transcripts/products/claude/project_folder.h"

#include <fmt/format.h>

namespace holdfast::cli {

namespace {

using transcripts::RelocateResult;

JsonObject relocate_json(const RelocateResult& result, const std::string& old_path, const std::string& new_path) {
  JsonArray moved, failed;
  for (const auto& each : result.moved) moved.push_back(to_json(each));
  for (const auto& each : result.failed)
    failed.push_back(JsonObject{{"session_id", each.session_id}, {"error", each.error.word()}, {"message", each.error.message}});
  const std::size_t count = moved.size();
  return {{"old_path", old_path},
          {"new_path", new_path},
          {"count", count},
          {"moved", std::move(moved)},
          {"failed", std::move(failed)}};
}

std::string relocate_text(const RelocateResult& result, const Terminal& terminal) {
  Table table({{"ID"}, {"FILES", true}, {"PATHS", true}, {"FROM"}, {"TO"}, {"TITLE", false, true}});
  for (const auto& each : result.moved)
    table.add({each.session_id, std::to_string(each.files_moved), std::to_string(each.rewritten.paths), each.source_project,
               each.target_project, each.custom_title});
  std::string out = result.moved.empty() ? "" : table.text(terminal);
  for (const auto& each : result.failed)
    out += fmt::format("{} stays: {}\n", each.session_id, harmless(each.error.message, true));
  return out;
}

// They may have been moved by the run before, which died when that was done.
Result<void> nothing_left(const TranscriptWork& work, const std::string& old_path, const std::string& new_path,
                          const transcripts::MoveOptions& options) {
  for (const auto& each : work.recovered().ended) {
    if (each.what != "move" || !each.finishing) continue;
    HF_TRY(const auto session, work.homes().find(each.about));
    HF_TRY(const std::string project, work.homes().project_of(session));
    if (is_at_or_below(project, new_path)) return {};
  }
  HF_TRY(const bool before, work.keeper().was_relocated(old_path, new_path, options));
  if (!before)
    return fail(ErrorKind::not_found, fmt::format("there are no sessions of {}", old_path), "give the folder's former path");
  print_note(fmt::format("note: the sessions of {} were moved to {} before: nothing was moved now\n", old_path, new_path));
  return {};
}

}  // namespace

Result<void> relocate_transcripts(Context& context) {
  HF_TRY(auto work, TranscriptWork::begin(context));
  const operations::Given& given = work->given();
  HF_TRY(const std::string old_path, transcripts::canonical_project(given.text("old_path")));
  HF_TRY(const std::string new_path, transcripts::existing_project(given.text("new_path")));
  HF_TRY(auto options, move_options(*work));
  const transcripts::Progress progress = work->progress();
  auto print_result = [&](const RelocateResult& result) {
    work->progress_done();
    if (context.json)
      print_json(relocate_json(result, old_path, new_path));
    else
      print(relocate_text(result, context.terminal));
  };

  // The sessions are nearly always the client's own; that the person means all of them is what is asked here, once.
  if (!given.flag("force") || given.flag("dry_run")) {
    transcripts::MoveOptions trial = options;
    trial.dry_run = true;
    HF_TRY(const RelocateResult plan, work->keeper().relocate(old_path, new_path, trial, progress));
    const bool nothing = plan.moved.empty() && plan.failed.empty();
    if (nothing) HF_CHECK(nothing_left(*work, old_path, new_path, options));
    if (given.flag("dry_run") || nothing) {
      print_result(plan);
      return {};
    }
    work->progress_done();
    if (!given.flag("yes")) print_note(relocate_text(plan, {}));
    HF_CHECK(work->confirm(fmt::format("this moves {} sessions of {} to {}", plan.moved.size(), old_path, new_path)));
  }
  options.force = true;
  HF_TRY(const RelocateResult result, work->keeper().relocate(old_path, new_path, options, progress));
  print_result(result);
  for (const auto& each : result.moved) work->warn(each.warnings);
  if (result.moved.empty() && result.failed.empty()) return nothing_left(*work, old_path, new_path, options);
  if (!result.failed.empty())
    return fail(ErrorKind::refused, fmt::format("{} sessions could not be moved", result.failed.size()),
                "the reasons are above; the others are where they should be");
  return {};
}

}  // namespace holdfast::cli
