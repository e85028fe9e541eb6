// What went before: operations that died and are ended now, those that were done and of which nobody heard, and a move that is
// taken back (keeper.h).

#include "base/files/at_or_below.h"
#include "base/text/text.h"
#include "kinds/transcripts/archive/archive_reader.h"
#include "kinds/transcripts/verbs/backup.h"
#include "kinds/transcripts/verbs/keeper.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>

namespace holdfast::transcripts {
namespace {

Result<ArchiveHeader> header_of_archive(const std::string& path) {
  Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return fail(system_error(path, errno));
  HF_TRY(const ArchiveReader reader, ArchiveReader::open(std::move(file)));
  return reader.header();
}

struct KeptArchive {
  ArchiveHeader header;
  std::string sha256;
};

Result<KeptArchive> kept_archive(const std::string& path) {
  KeptArchive kept;
  HF_TRY(kept.header, header_of_archive(path));
  const Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return fail(system_error(path, errno));
  HF_TRY(kept.sha256, hash_of_archive(file.get()));
  return kept;
}

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

void Keeper::remember_erase(EraseResult& result, bool no_backup) const {
  Backup backup{result.backup_path, result.backup_sha256, {}};
  if (no_backup) result.backup_path = result.backup_sha256 = result.undo_command = "";
  note(result.warnings, [&](session::Store& store) { return record_erase(store, result); });
  if (no_backup)
    if (auto warning = drop_backup(backup)) result.warnings.push_back(*std::move(warning));
}

Result<std::optional<EraseResult>> Keeper::done_before(std::string_view id_or_prefix) const {
  EraseResult result;
  result.deleted_at = now();
  if (auto kept = find_backup(backup_folder(), id_or_prefix)) {
    HF_TRY(const KeptArchive archive, kept_archive(kept->path));
    result.session_id = kept->session_id;
    result.project_path = archive.header.original_project_path;
    result.custom_title = archive.header.custom_title;
    result.backup_path = kept->path;
    result.backup_sha256 = archive.sha256;
    result.undo_command = undo_command(kept->path);
    return result;
  }
  HF_TRY(session::Store* const store, store_to_read());
  if (!store) return std::nullopt;
  const auto id = remembered_id(*store, id_or_prefix);
  if (!id) return std::nullopt;
  HF_TRY(const auto event, last_delete(*store, *id));
  if (!event) return std::nullopt;
  result.session_id = *id;
  result.deleted_at = event->when;
  return result;
}

Result<EraseResult> Keeper::finished_erase(const Recovered& recovered, std::string_view id_or_prefix, const EraseOptions& options,
                                           Error not_found) const {
  // Without an id it would be a guess which one was meant.
  if (not_found.kind != ErrorKind::not_found || id_or_prefix.empty() || options.dry_run) return fail(std::move(not_found));
  const std::string wanted = to_ascii_lower(id_or_prefix);
  const auto is_it = [&](const Leftover& each) {
    return each.what == "delete" && each.finishing && to_ascii_lower(each.about).starts_with(wanted);
  };
  const auto found = std::ranges::find_if(recovered.ended, is_it);
  const bool finished = found != recovered.ended.end();
  HF_TRY(auto done, done_before(finished ? found->about : wanted));
  if (!done && !finished) return fail(std::move(not_found));
  EraseResult result = done ? *std::move(done) : EraseResult{};
  if (finished) {
    result.session_id = found->about;
    result.deleted_at = now();
    for (const std::string& path : found->old_paths) result.deleted_files.push_back(found->home + "/" + path);
  } else {
    result.warnings.push_back(result.session_id + " was gone already: nothing was deleted now");
  }
  auto store = store_to_read();
  const bool is_known = store && *store && wrote_archive(**store, result.backup_sha256).value_or(false);
  // A backup that the family tree does not know is that of a delete which died when all was gone. It is only taken away with it
  // when that is sure: somebody may have meant to keep it.
  if (finished || (!result.backup_path.empty() && !is_known)) remember_erase(result, finished && options.no_backup && !is_known);
  if (options.no_backup && !result.backup_path.empty())
    result.warnings.push_back("its backup of before is kept: " + result.backup_path);
  return result;
}

void Keeper::hear_of_move(MoveResult& result, const SessionPlace& place, const MoveOptions& options) const {
  const auto kept = find_backup(backup_folder(), place.session_id);
  if (!kept) return;
  auto archive = kept_archive(kept->path);
  if (!archive || archive->header.project_folder.empty() || archive->header.project_folder == place.project_folder) return;
  note(result.warnings, [&](session::Store& store) -> Result<void> {
    HF_TRY(const bool known, wrote_archive(store, archive->sha256));
    if (known) return {};
    result.source_project = archive->header.original_project_path;
    result.main_session_file = homes_.claude.absolute(place.transcript());
    result.paths_translated = options.level != PathLevel::none && result.source_project != result.target_project;
    result.maps = options.maps;
    result.backup_path = kept->path;
    result.backup_sha256 = archive->sha256;
    result.undo_command = undo_command(kept->path);
    return record_move(store, result);
  });
}

Result<bool> Keeper::was_relocated(const std::string& old_path, const std::string& new_path, const MoveOptions& options) const {
  HF_TRY(const auto backups, newest_backups(backup_folder()));
  bool found = false;
  for (const KeptBackup& backup : backups) {
    const auto header = header_of_archive(backup.path);
    if (!header || !is_at_or_below(header->original_project_path, old_path)) continue;
    const auto session = homes_.find(backup.session_id);
    if (!session || !session->claude()) continue;
    HF_TRY(const std::string project, homes_.project_of(*session));
    if (!is_at_or_below(project, new_path)) continue;
    MoveOptions there = options;
    there.target_project = project;
    there.target_folder = session->claude()->place.project_folder;
    HF_CHECK(move(*session, std::move(there)));
    found = true;
  }
  return found;
}

Result<std::optional<CopyResult>> Keeper::undo_move(SessionSource& source, const CopyOptions& options,
                                                    const Progress& progress) const {
  if (!options.in_place || options.target_project || source.is_ours() || source.session().codex()) return std::nullopt;
  HF_TRY(const ArchiveHeader header, source.header());
  if (header.project_folder.empty()) return std::nullopt;
  HF_TRY(const auto lives, sessions_with_prefix(homes_.claude, header.session_id));
  if (lives.size() != 1) return std::nullopt;
  const SessionPlace back{header.session_id, header.project_folder};
  HF_TRY(session::Store* const store, store_to_read());
  if (!store) return std::nullopt;
  HF_TRY(const std::string hash, source.hash());
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
