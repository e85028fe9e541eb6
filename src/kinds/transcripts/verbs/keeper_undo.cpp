// What went before: operations that died and are ended now, and a move that is taken back (keeper.h).

#include "base/text/text.h"
#include "kinds/transcripts/verbs/backup.h"
#include "kinds/transcripts/verbs/backups.h"
#include "kinds/transcripts/verbs/keeper.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>

namespace holdfast::transcripts {
namespace {

CopyResult as_restored(const MoveResult& moved, const Home& home, const SessionPlace& place) {
  CopyResult result;
  result.new_session_id = result.original_session_id = moved.session_id;
  result.restored_at = moved.moved_at;
  result.project_path = moved.target_project;
  result.was_in_place = true;
  result.was_dry_run = moved.was_dry_run;
  result.main_session_file = home.absolute(place.transcript());
  result.files = moved.moved;
  result.paths_translated = moved.paths_translated;
  result.custom_title = moved.custom_title;
  result.resume_command = moved.resume_command;
  result.warnings = moved.warnings;
  result.rewritten = moved.rewritten;
  result.main_records = moved.main_records;
  result.agent_records = moved.agent_records;
  return result;
}

}  // namespace

Recovered Keeper::recover() const {
  Recovered recovered = recover_first(homes_.claude);
  recovered.add(recover_first(homes_.codex));
  return recovered;
}

Result<EraseResult> Keeper::finished_erase(const Recovered& recovered, std::string_view id_or_prefix, const EraseOptions& options,
                                           Error not_found) const {
  const auto is_it = [&](const Leftover& each) {
    return each.what == "delete" && each.finishing && !id_or_prefix.empty() &&
           to_ascii_lower(each.about).starts_with(to_ascii_lower(id_or_prefix));
  };
  const auto found = std::ranges::find_if(recovered.ended, is_it);
  if (found == recovered.ended.end() || not_found.kind != ErrorKind::not_found) return fail(std::move(not_found));
  EraseResult result;
  result.session_id = found->about;
  result.deleted_at = now();
  for (const std::string& path : found->old_paths) result.deleted_files.push_back(found->home + "/" + path);
  if (auto kept = find_backup(backup_folder(), found->about)) {
    Backup backup{kept->path, {}, {}};
    const Fd file(::open(backup.path.c_str(), O_RDONLY | O_CLOEXEC));
    if (auto hash = file ? hash_of_archive(file.get()) : std::string()) backup.sha256 = *std::move(hash);
    if (options.no_backup)
      if (auto warning = drop_backup(backup)) result.warnings.push_back(*std::move(warning));
    result.backup_path = backup.path;
    result.backup_sha256 = backup.sha256;
    if (!backup.path.empty()) result.undo_command = undo_command(backup.path);
  }
  note(result.warnings, [&](session::Store& store) { return record_erase(store, result); });
  return result;
}

Result<std::optional<CopyResult>> Keeper::undo_move(const ArchiveHeader& header, int archive, const RestoreOptions& options,
                                                    const Progress& progress) const {
  if (!options.in_place || options.target_project || header.product == "codex" || header.project_folder.empty())
    return std::nullopt;
  HF_TRY(const auto lives, sessions_with_prefix(homes_.claude, header.session_id));
  if (lives.size() != 1) return std::nullopt;
  const SessionPlace back{header.session_id, header.project_folder};
  // There by an undo that died when that was done: the same command once more is a success, too.
  const bool there = lives.front().place == back;
  if (there && std::ranges::find(options.placed, back.transcript()) == options.placed.end()) return std::nullopt;
  HF_TRY(session::Store* const store, store_to_read());
  if (!store) return std::nullopt;
  HF_TRY(const std::string hash, hash_of_archive(archive));
  HF_TRY(const auto recorded, move_with_backup(*store, header.session_id, hash));
  if (!recorded) return std::nullopt;

  MoveOptions wanted;
  wanted.target_project = header.original_project_path;
  wanted.target_folder = header.project_folder;
  wanted.level = recorded->paths_translated ? options.level : PathLevel::none;
  for (const auto& [from, to] : recorded->maps) wanted.maps.emplace_back(to, from);
  wanted.force = true;  // what holdfast has done it may undo
  // One that stayed would be the newest, and the same command once more would undo the undoing.
  wanted.no_backup = true;
  wanted.dry_run = options.dry_run;
  wanted.caller_sessions = options.caller_sessions;
  HF_TRY(MoveResult moved, move(AnySession{lives.front()}, std::move(wanted), progress));
  if (moved.files_moved > 0)
    moved.warnings.push_back(fmt::format("moved back from {}, with what was written there since", moved.source_project));
  return as_restored(moved, homes_.claude, back);
}

}  // namespace holdfast::transcripts
