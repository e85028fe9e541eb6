#include "kinds/transcripts/verbs/move.h"

#include "base/files/at_or_below.h"
#include "base/text/text.h"
#include "kinds/transcripts/products/claude/project_folder.h"
#include "kinds/transcripts/staging/destinations.h"
#include "kinds/transcripts/staging/stage_session.h"
#include "kinds/transcripts/verbs/backup.h"
#include "kinds/transcripts/verbs/removal_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
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
  const auto source = source_on_disk(home, session.place);
  HF_CHECK(source->read(inventory.artifacts, stage, progress));

  if (staging) {
    HF_CHECK(stage_folders(*staging, identity, inventory.folders, false));
    HF_CHECK(stage.verify());
    const BackupOptions backup_options{options.backup_folder, true, options.machine_id};
    HF_TRY(backup, write_backup(*source, inventory, root, backup_options, now, progress));
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

// Every session of a project whose folder was renamed.
Result<RelocateResult> relocate_project(const Home& home, const std::string& old_path, const std::string& new_path,
                                        const MoveOptions& options, Millis now, const Progress& progress) {
  HF_TRY(const std::string from, canonical_project(old_path));
  HF_TRY(const std::string to, canonical_project(new_path));
  if (from == to) return fail(ErrorKind::invalid, "the old and the new path are the same: " + from);
  // A project cannot be moved into itself: its sessions would be found again, and moved again.
  if (is_at_or_below(to, from)) return fail(ErrorKind::invalid, fmt::format("{} lies inside {}", to, from));
  // A transcript may spell the letters of the path in the other Unicode form.
  const std::array<std::string, 3> forms = {from, to_nfc(from), to_nfd(from)};
  HF_TRY(auto sessions, all_sessions(home));
  std::ranges::sort(sessions, {},
                    [](const FoundSession& each) { return std::pair(each.place.project_folder, each.place.session_id); });

  RelocateResult result;
  for (const FoundSession& session : sessions) {
    const auto summary = summarise(home, session);
    if (!summary) {
      result.failed.push_back({session.place.session_id, summary.error()});
      continue;
    }
    const auto old =
        std::ranges::find_if(forms, [&](const std::string& form) { return is_at_or_below(summary->project_root, form); });
    if (summary->project_root.empty() || old == forms.end()) continue;
    MoveOptions each = options;
    each.target_project = to + summary->project_root.substr(old->size());
    // Sessions below it name files of the whole project, too.
    each.maps.emplace_back(*old, to);
    auto moved = move_session(home, session, each, now, progress);
    if (moved) {
      result.moved.push_back(*std::move(moved));
    } else if (moved.error().kind == ErrorKind::cancelled) {
      return fail(std::move(moved).error());
    } else {
      result.failed.push_back({session.place.session_id, std::move(moved).error()});
    }
  }
  return result;
}

JsonObject to_json(const MoveResult& result) {
  JsonObject json{{"session_id", result.session_id},
                  {"source_project", result.source_project},
                  {"target_project", result.target_project},
                  {"files_moved", result.files_moved},
                  {"files_deleted", result.files_deleted}};
  add_kind_counts(json, result.moved, "_moved");
  json["paths_translated"] = result.paths_translated;
  json["was_running"] = result.was_running;
  json["was_terminated"] = result.was_terminated;
  json["backup_path"] = text_or_null(result.backup_path);
  json["backup_sha256"] = text_or_null(result.backup_sha256);
  json["undo_command"] = text_or_null(result.undo_command);
  json["custom_title"] = text_or_null(result.custom_title);
  json["resume_command"] = result.resume_command;
  json["was_dry_run"] = result.was_dry_run;
  json["duration_ms"] = result.duration_ms;
  json["moved_at"] = iso8601(result.moved_at);
  json["warnings"] = JsonArray(result.warnings.begin(), result.warnings.end());
  json["rewritten"] = to_json(result.rewritten);
  return json;
}

}  // namespace holdfast::transcripts
