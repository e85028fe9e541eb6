#include "kinds/transcripts/verbs/move.h"

#include "kinds/transcripts/home/summary.h"
#include "kinds/transcripts/reading/read_session.h"
#include "kinds/transcripts/staging/destinations.h"
#include "kinds/transcripts/staging/stage_session.h"
#include "kinds/transcripts/verbs/backup.h"
#include "kinds/transcripts/verbs/removal_rules.h"

#include <chrono>

namespace holdfast::transcripts {
namespace {

using SteadyClock = std::chrono::steady_clock;

// What lies by the project; the rest lies by the session's id, which stays.
Inventory project_part(Inventory inventory) {
  const auto elsewhere = [](const auto& each) { return !each.path.starts_with("projects/"); };
  std::erase_if(inventory.artifacts, elsewhere);
  std::erase_if(inventory.folders, elsewhere);
  return inventory;
}

// The same move once more, when the first was done and nobody heard of it.
Result<MoveResult> there_already(const Home& home, const FoundSession& session, const ProjectTarget& target,
                                 const MoveOptions& options, Millis now) {
  MoveResult result;
  result.session_id = session.place.session_id;
  HF_TRY(result.source_project, project_root_of(home, session));
  result.target_project = target.path;
  result.was_dry_run = options.dry_run;
  HF_TRY(const Summary summary, summarise(home, session));
  result.custom_title = summary.custom_title;
  result.resume_command = resume_command(target.path, session.place.session_id);
  result.moved_at = now;
  result.warnings.push_back(session.place.session_id + " is in the folder of " + target.path + " already: nothing was moved");
  return result;
}

}  // namespace

Result<MoveResult> move_session(const Home& home, const FoundSession& session, const MoveOptions& options, Millis now,
                                const Progress& progress) {
  const auto began = SteadyClock::now();
  HF_TRY(ProjectTarget target, project_target(home, options.target_project));
  if (!options.target_folder.empty()) target.folder = options.target_folder;
  if (target.folder == session.place.project_folder) return there_already(home, session, target, options, now);
  const RemovalRules rules{"move",          options.force,           options.made_by_us,   options.terminate,
                           options.dry_run, options.caller_sessions, options.written_by_us};
  HF_TRY(RemovalCheck check, check_removal(home, session.place.session_id, session.place.transcript(), rules, now));
  HF_TRY(Inventory everything, take_inventory(home, session.place));
  Inventory inventory = project_part(std::move(everything));
  const std::vector<std::string> unkept = leave_what_no_backup_holds(inventory);
  HF_TRY(const std::string root, project_root_of(home, session));

  const Identity identity = identity_of_move(session.place, target.folder);
  std::vector<std::string> destinations;
  for (const Artifact& artifact : inventory.artifacts) {
    if (auto path = new_path(identity, artifact)) destinations.push_back(*std::move(path));
  }
  HF_CHECK(check_free(home, destinations));

  MoveResult result;
  result.session_id = session.place.session_id;
  result.source_project = root;
  result.target_project = target.path;
  result.main_session_file = home.absolute(SessionPlace{session.place.session_id, target.folder}.transcript());
  result.was_running = check.was_running;
  result.was_terminated = check.was_terminated;
  result.was_dry_run = options.dry_run;
  result.warnings = std::move(check.warnings);
  for (const std::string& path : unkept) result.warnings.push_back(path + " stays: a name that a backup cannot hold");
  for (const std::string& path : inventory.left_out) result.warnings.push_back(path + " stays: not a regular file");
  result.resume_command = resume_command(target.path, session.place.session_id);
  result.moved_at = now;
  result.maps = options.maps;
  PathMap paths = path_map_of(options.level, root, target.path, options.maps);
  result.paths_translated = !paths.empty();
  RewriteOptions rewrite_options;
  rewrite_options.level = options.level;
  Rewriter rewriter(identity, std::move(paths), std::move(rewrite_options));

  // Every file is looked at before anything is read: what is written after that look is noticed, and nothing is moved.
  std::optional<Staging> staging;
  Backup backup;
  if (!options.dry_run) {
    HF_TRY(Staging begun, Staging::begin(home, "move", session.place.session_id));
    staging.emplace(std::move(begun));
    for (const Artifact& artifact : inventory.artifacts) staging->remove(artifact.path);
    for (const ArtifactFolder& folder : inventory.folders) staging->remove_folder(folder.path);
    staging->set_main(SessionPlace{session.place.session_id, target.folder}.transcript(), session.place.transcript());
  }
  StageSession::Options stage_options;
  stage_options.staging = staging ? &*staging : nullptr;
  stage_options.rewriter = &rewriter;
  stage_options.place = [&identity](const Artifact& artifact) { return new_path(identity, artifact); };
  stage_options.hashes = staging.has_value();
  StageSession stage(std::move(stage_options));
  HF_CHECK(read_session(home, inventory.artifacts, stage, progress));

  if (staging) {
    HF_CHECK(stage_folders(*staging, identity, inventory.folders, false));
    HF_CHECK(stage.verify());
    const BackupOptions backup_options{options.backup_folder, true, options.machine_id};
    HF_TRY(backup, write_backup(home, inventory, root, backup_options, now, progress));
    if (auto committed = staging->commit(); !committed) {
      static_cast<void>(drop_backup(backup));
      return fail(std::move(committed).error());
    }
    if (options.no_backup) {
      if (auto warning = drop_backup(backup)) result.warnings.push_back(*std::move(warning));
    }
  }
  result.moved = stage.counts().files;
  result.files_moved = sum_of(result.moved);
  result.main_records = stage.counts().main_records;
  result.agent_records = stage.counts().agent_records;
  result.files_deleted = inventory.artifacts.size();
  result.warnings.insert(result.warnings.end(), stage.counts().warnings.begin(), stage.counts().warnings.end());
  result.custom_title = stage.counts().custom_title;
  result.rewritten = rewriter.counts();
  result.backup_path = backup.path;
  result.backup_sha256 = backup.sha256;
  if (!backup.path.empty()) result.undo_command = undo_command(backup.path);
  result.duration_ms = std::chrono::duration_cast<std::chrono::milliseconds>(SteadyClock::now() - began).count();
  return result;
}

}  // namespace holdfast::transcripts
