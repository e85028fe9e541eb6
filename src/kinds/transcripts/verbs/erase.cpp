#include "kinds/transcripts/verbs/erase.h"

#include "kinds/transcripts/home/summary.h"
#include "kinds/transcripts/products/claude/prompt.h"
#include "kinds/transcripts/products/claude/slugs.h"
#include "kinds/transcripts/staging/destinations.h"
#include "kinds/transcripts/staging/staging.h"
#include "kinds/transcripts/verbs/backup.h"
#include "kinds/transcripts/verbs/removal_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace holdfast::transcripts {
namespace {

using SteadyClock = std::chrono::steady_clock;

// Shared by all sessions of one id, because they lie by the id alone.
bool is_cross_session(const std::string& path) {
  return !path.starts_with("projects/");
}

Result<void> check_cross_session(const Home& home, const FoundSession& session, const EraseOptions& options) {
  HF_TRY(const auto same_id, sessions_with_prefix(home, session.place.session_id));
  if (same_id.size() > 1 && !options.cross_session_artifacts) {
    std::string folders;
    for (const FoundSession& each : same_id) folders += "\n  " + each.place.project_folder;
    return fail(ErrorKind::invalid, fmt::format("{} exists in {} projects:{}", session.place.session_id, same_id.size(), folders),
                "say with {delete_cross_session_artifacts} whether plans, tasks and the like go, too");
  }
  if (same_id.size() <= 1 && options.cross_session_artifacts) {
    return fail(ErrorKind::invalid, fmt::format("{} exists in one project only", session.place.session_id),
                "leave {delete_cross_session_artifacts} out");
  }
  return {};
}

// What the backup holds, and what of it goes. A plan that another session uses stays, but the backup needs it: that other session
// may take it along when it is deleted itself.
struct ToErase {
  Inventory backup, gone;
};

Result<ToErase> inventory_to_erase(const Home& home, const FoundSession& session, bool with_shared, EraseResult& result) {
  ToErase to_erase;
  Inventory& inventory = to_erase.backup;
  HF_TRY(inventory, take_inventory(home, session.place));
  if (!with_shared) {
    std::erase_if(inventory.artifacts, [](const Artifact& artifact) { return is_cross_session(artifact.path); });
    std::erase_if(inventory.folders, [](const ArtifactFolder& folder) { return is_cross_session(folder.path); });
  }
  for (const std::string& path : leave_what_no_backup_holds(inventory)) {
    result.kept.push_back(home.absolute(path) + ": a name that a backup cannot hold");
  }
  for (const std::string& path : inventory.left_out) result.kept.push_back(path + ": not a regular file");
  to_erase.gone = inventory;
  HF_TRY(const auto in_use, plans_in_use_elsewhere(home, inventory));
  for (const std::string& path : in_use)
    result.kept.push_back(home.absolute(path) + ": another session uses this plan; the backup has a copy");
  std::erase_if(to_erase.gone.artifacts, [&](const Artifact& artifact) { return in_use.contains(artifact.path); });
  return to_erase;
}

void describe(EraseResult& result, const Home& home, const Inventory& inventory) {
  for (const Artifact& artifact : inventory.artifacts) {
    ++result.counts[artifact.kind];
    result.size_freed += artifact.size;
    result.deleted_files.push_back(home.absolute(artifact.path));
  }
}

}  // namespace

Result<EraseResult> erase_session(const Home& home, const FoundSession& session, const EraseOptions& options, Millis now,
                                  const Progress& progress) {
  const auto began = SteadyClock::now();
  HF_CHECK(check_cross_session(home, session, options));
  RemovalRules rules{"delete",        options.force,           options.made_by_us,   options.terminate,
                     options.dry_run, options.caller_sessions, options.written_by_us};
  HF_TRY(RemovalCheck check, check_removal(home, session.place.session_id, session.place.transcript(), rules, now));

  EraseResult result;
  result.session_id = session.place.session_id;
  result.was_dry_run = options.dry_run;
  result.was_running = check.was_running;
  result.was_terminated = check.was_terminated;
  result.warnings = std::move(check.warnings);
  result.deleted_at = now;
  const bool with_shared = options.cross_session_artifacts.value_or(true);
  HF_TRY(const ToErase to_erase, inventory_to_erase(home, session, with_shared, result));
  const Inventory& inventory = to_erase.gone;
  HF_TRY(result.project_path, project_root_of(home, session));
  describe(result, home, inventory);
  if (options.dry_run) {
    HF_TRY(const Summary summary, summarise_whole(home, session));
    result.custom_title = summary.custom_title;
    for (const ArtifactFolder& folder : inventory.folders) result.directories_removed.push_back(home.absolute(folder.path));
    return result;
  }

  // Every file is looked at before the backup reads it: what is written after that look is noticed, and nothing is removed.
  HF_TRY(Staging staging, Staging::begin(home, "delete", session.place.session_id));
  for (const Artifact& artifact : inventory.artifacts) staging.remove(artifact.path);
  for (const ArtifactFolder& folder : inventory.folders) staging.remove_folder(folder.path);
  staging.set_main("", session.place.transcript());
  const BackupOptions backup_options{options.backup_folder, !with_shared, options.machine_id};
  HF_TRY(Backup backup,
         write_backup(*source_on_disk(home, session.place), to_erase.backup, result.project_path, backup_options, now, progress));
  result.custom_title = one_line(backup.custom_title, kTitleLength);  // writing the backup has seen every record
  if (auto committed = staging.commit(); !committed) {
    static_cast<void>(drop_backup(backup));
    return fail(std::move(committed).error());
  }
  const auto& removed = staging.removed();
  for (std::size_t i = inventory.artifacts.size(); i < removed.size(); ++i) {
    result.directories_removed.push_back(home.absolute(removed[i]));
  }
  result.backup_path = backup.path;
  result.backup_sha256 = backup.sha256;
  if (!backup.path.empty()) result.undo_command = undo_command(backup.path);
  result.duration_ms = std::chrono::duration_cast<std::chrono::milliseconds>(SteadyClock::now() - began).count();
  return result;
}

JsonObject to_json(const EraseResult& result) {
  JsonObject json{{"session_id", result.session_id},
                  {"was_dry_run", result.was_dry_run},
                  {"success", true},
                  {"error_message", nullptr},
                  {"backup_path", text_or_null(result.backup_path)},
                  {"backup_sha256", text_or_null(result.backup_sha256)},
                  {"files_deleted", result.deleted_files.size()},
                  {"size_freed_bytes", result.size_freed},
                  {"deleted_files", JsonArray(result.deleted_files.begin(), result.deleted_files.end())}};
  add_kind_counts(json, result.counts, "_deleted");
  json["directories_removed"] = JsonArray(result.directories_removed.begin(), result.directories_removed.end());
  json["duration_ms"] = result.duration_ms;
  json["deleted_at"] = iso8601(result.deleted_at);
  json["project_path"] = text_or_null(result.project_path);
  json["custom_title"] = text_or_null(result.custom_title);
  json["kept"] = JsonArray(result.kept.begin(), result.kept.end());
  json["was_running"] = result.was_running;
  json["was_terminated"] = result.was_terminated;
  json["undo_command"] = text_or_null(result.undo_command);
  json["warnings"] = JsonArray(result.warnings.begin(), result.warnings.end());
  return json;
}

}  // namespace holdfast::transcripts
