// move, delete, relocate: what takes a session from where it is, after a backup.

#include "base/files/at_or_below.h"
#include "kinds/transcripts/products/claude/project_folder.h"
#include "operations/table.h"
#include "operations/transcripts/transcript_parameters.h"

#include <fmt/format.h>

#include <array>

namespace holdfast::operations {

namespace {

using enum Parameter::Type;

// ---- move ----

constexpr std::array kMoveParameters{
    kSession,
    kOnlySourceProject,
    Parameter{.name = "target_project",
              .help = "folder it goes to",
              .fallback = "the current project",
              .value = "DIR",
              .option = kTargetProject.option},
    kNoTranslate,
    kTranslate,
    kMap,
    kForce,
    kTerminate,
    kNoBackup,
    kDryRun,
};

Result<transcripts::MoveOptions> move_options(Context& context, const Given& given) {
  transcripts::MoveOptions options;
  HF_TRY(Translation translation, translation_of(given));
  options.level = translation.level;
  options.maps = std::move(translation.maps);
  options.force = given.flag("force");
  options.terminate = given.flag("terminate");
  options.no_backup = given.flag("no_backup");
  options.dry_run = given.flag("dry_run");
  options.caller_sessions = context.calling_sessions();
  return options;
}

Result<Facts> move(Context& context, const Given& given) {
  HF_TRY(const auto* const keeper, context.keeper_for(given.text("session")));
  HF_TRY(auto options, move_options(context, given));
  HF_TRY(auto target, target_of(context, given));
  if (!target) {
    HF_TRY(target, context.project());
  }
  if (!target) return fail(ErrorKind::invalid, "it is not known where to", "give {target_project}");
  options.target_project = std::move(*target);
  HF_TRY(const auto session, catalogue::on_disk(context.transcript(given.text("session"), given.text("source_project"))));
  HF_TRY(const auto result, keeper->move(session, options, context.progress()));
  Facts facts = to_json(result);
  facts["product"] = session.product();
  return facts;
}

// ---- delete ----

constexpr std::array kDeleteParameters{
    Parameter{.name = "session", .help = kSession.help, .fallback = kSession.fallback, .may_be_empty = false, .option = "ID"},
    kSourceProject,
    kForce,
    kTerminate,
    kNoBackup,
    kDryRun,
    Parameter{.name = "delete_cross_session_artifacts",
              .type = choice,
              .help = "only when the id exists in several projects, and then needed: also what those sessions share"},
};

Result<Facts> erase(Context& context, const Given& given) {
  HF_TRY(const auto* const keeper, context.keeper_for(given.text("session")));
  transcripts::EraseOptions options;
  options.force = given.flag("force");
  options.terminate = given.flag("terminate");
  options.no_backup = given.flag("no_backup");
  options.dry_run = given.flag("dry_run");
  options.cross_session_artifacts = given.choice("delete_cross_session_artifacts");
  options.caller_sessions = context.calling_sessions();
  const std::string id = given.text("session");
  const auto session = catalogue::on_disk(context.transcript(id, given.text("source_project")));
  HF_TRY(const auto result, session ? keeper->erase(*session, options, context.progress())
                                    : keeper->finished_erase(context.recovered(), id, options, session.error()));
  return to_json(result);
}

// ---- relocate ----

constexpr std::array kRelocateParameters{
    needed("old_path", "OLD", "the folder's former path"),
    needed("new_path", "NEW", "its present path"),
    kNoTranslate,
    kTranslate,
    kMap,
    kForce,
    kTerminate,
    kNoBackup,
    kDryRun,
    Parameter{"yes", flag, "do it without asking"},
};

Facts relocate_facts(const transcripts::RelocateResult& result, const std::string& old_path, const std::string& new_path) {
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

// Nothing is there to be moved. They may have been moved by the run before, which died when that was done.
Result<Facts> nothing_left(Context& context, const transcripts::Keeper& keeper, const transcripts::MoveOptions& options,
                           Facts facts) {
  const std::string old_path = text_in(facts, "old_path"), new_path = text_in(facts, "new_path");
  facts["moved_before"] = true;
  for (const auto& each : context.recovered().ended) {
    if (each.what != "move" || !each.finishing) continue;
    HF_TRY(const auto session, keeper.homes().find(each.about));
    HF_TRY(const std::string project, keeper.homes().project_of(session));
    if (is_at_or_below(project, new_path)) return facts;
  }
  HF_TRY(const bool before, keeper.was_relocated(old_path, new_path, options));
  if (before) return facts;
  return fail(ErrorKind::not_found, fmt::format("there are no sessions of {}", old_path), "give the folder's former path");
}

Result<Facts> relocate(Context& context, const Given& given) {
  HF_TRY(const auto* const keeper, context.keeper());
  HF_TRY(const std::string old_full, context.absolute(given.text("old_path")));
  HF_TRY(const std::string new_full, context.absolute(given.text("new_path")));
  HF_TRY(const std::string old_path, transcripts::canonical_project(old_full));
  HF_TRY(const std::string new_path, transcripts::existing_project(new_full));
  HF_TRY(auto options, move_options(context, given));
  const transcripts::Progress progress = context.progress();
  // The sessions are nearly always the client's own; that the person means all of them is what is asked here, once.
  if (!options.force || options.dry_run) {
    transcripts::MoveOptions trial = options;
    trial.dry_run = true;
    HF_TRY(const auto plan, keeper->relocate(old_path, new_path, trial, progress));
    Facts facts = relocate_facts(plan, old_path, new_path);
    if (plan.moved.empty() && plan.failed.empty()) return nothing_left(context, *keeper, options, std::move(facts));
    if (options.dry_run) return facts;
    if (!given.flag("yes"))
      HF_CHECK(context.agree(fmt::format("this moves {} sessions of {} to {}", plan.moved.size(), old_path, new_path), facts));
  }
  options.force = true;
  HF_TRY(const auto result, keeper->relocate(old_path, new_path, options, progress));
  Facts facts = relocate_facts(result, old_path, new_path);
  if (result.moved.empty() && result.failed.empty()) return nothing_left(context, *keeper, options, std::move(facts));
  return facts;
}

constexpr std::array kRemoving{
    removes("move", "a session to another project; it keeps its id", kMoveParameters, move),
    removes("delete", "a session and all that belongs to it, after a backup", kDeleteParameters, erase),
    removes("relocate", "every session of a folder that was renamed", kRelocateParameters, relocate),
};

}  // namespace

std::span<const Operation> removing_operations() {
  return kRemoving;
}

}  // namespace holdfast::operations
