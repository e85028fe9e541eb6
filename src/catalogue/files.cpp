#include "catalogue/files.h"

#include <fmt/format.h>

#include <fcntl.h>

#include <cerrno>
#include <filesystem>

namespace holdfast::catalogue {

namespace {

using transcripts::Keeper;
using transcripts::Progress;

Result<transcripts::CopyResult> clone_kept(const Keeper& keeper, const Found& found, const transcripts::CloneOptions& wanted,
                                           const std::string& current_folder, const Progress& progress) {
  if (!wanted.up_to.empty() || wanted.fresh_uuids || wanted.translate_files)
    return fail(ErrorKind::invalid, "of a session that its client no longer has there are whole copies only",
                fmt::format("put it back with holdfast restore --in-place {}, then clone that", found.id()));
  transcripts::RestoreOptions options;
  options.target_project = wanted.target_project;
  options.current_folder = current_folder;
  if (!options.target_project) {
    HF_TRY(const auto line, line_of(keeper, nullptr, found));
    if (!line.project_path.empty()) options.target_project = line.project_path;
  }
  options.level = wanted.level;
  options.maps = wanted.maps;
  options.dry_run = wanted.dry_run;
  HF_TRY(auto archive, open_copy(keeper, found, progress));
  options.trusted = archive.trusted;
  HF_TRY(auto result, keeper.restore(std::move(archive.file), archive.origin, options, progress));
  result.left_out.insert(result.left_out.end(), archive.left_out.begin(), archive.left_out.end());
  return result;
}

}  // namespace

Result<transcripts::CopyResult> clone(const Keeper& keeper, const Found& found, const transcripts::CloneOptions& options,
                                      const std::string& current_folder, const Progress& progress) {
  if (found.is_kept()) return clone_kept(keeper, found, options, current_folder, progress);
  HF_TRY(const auto session, on_disk(found));
  return keeper.clone(session, options, progress);
}

Result<std::optional<Found>> copy_at_place(const Keeper& keeper, const std::string& place, bool guard_alone) {
  std::error_code ignored;
  if (!transcripts::looks_like_id(place) || std::filesystem::exists(place, ignored)) return std::nullopt;
  HF_TRY(Found found, find_copy(keeper, place, guard_alone));
  return found;
}

Result<transcripts::Opened> open_copy(const Keeper& keeper, const Found& found, const Progress& progress,
                                      const transcripts::KeptVersion& version) {
  if (found.in_guard()) return transcripts::open_kept(keeper, *found.in_guard(), progress, version);
  if (found.in_backup()) return transcripts::open_backup(*found.in_backup());
  return fail(ErrorKind::invalid, fmt::format("{} is {}, and no copy of it is meant", found.id(), name_of(found.place())));
}

namespace {

using transcripts::Keeper;
using transcripts::Progress;

std::unexpected<Error> not_a_transcript(const Found& found) {
  return fail(ErrorKind::invalid, fmt::format("{} is a {} session: it has no files", found.id(), found.kind()));
}

Result<transcripts::SessionLine> line_of_backup(const transcripts::KeptBackup& backup) {
  Fd file(::open(backup.path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return fail(system_error(backup.path, errno));
  HF_TRY(const auto archive, transcripts::ArchiveReader::open(std::move(file)));
  const transcripts::ArchiveHeader& header = archive.header();
  transcripts::SessionLine line;
  line.title = line.custom_title = header.custom_title;
  line.project_path = header.original_project_path;
  line.version = header.claude_code_version;
  if (header.product == "codex") {
    transcripts::CodexSession session;
    session.id = backup.session_id;
    session.mtime = backup.made_at;
    line.session.found = std::move(session);
  } else {
    line.session.found = transcripts::FoundSession{{backup.session_id, header.project_folder}, 0, backup.made_at};
  }
  return line;
}

}  // namespace

Result<Files> files_of(const Keeper& keeper, const Found& found, const Progress& progress) {
  if (found.record()) return not_a_transcript(found);
  Files files;
  if (found.on_disk()) {
    files.session = *found.on_disk();
    files.keeper = &keeper;
    return files;
  }
  if (found.in_guard()) {
    HF_TRY(files.laid_out, transcripts::lay_out(keeper, *found.in_guard(), {}, progress));
  } else {
    HF_TRY(files.laid_out, transcripts::lay_out(keeper, *found.in_backup(), progress));
  }
  files.kept = true;
  files.session = files.laid_out.session;
  files.keeper = files.laid_out.keeper.get();
  return files;
}

Result<transcripts::SessionInfo> describe(const Keeper& keeper, const Found& found, const Progress& progress) {
  HF_TRY(const Files files, files_of(keeper, found, progress));
  HF_TRY(auto info, transcripts::describe_session(*files.keeper, files.session, progress));
  if (!files.kept) return info;
  transcripts::mark_as_kept(info, found.in_backup() ? found.in_backup()->path : "guard:" + found.id());
  for (const std::string& each : files.left_out()) info.warnings.push_back(each);
  return info;
}

Result<transcripts::VerifyReport> verify(const Keeper& keeper, const Found& found, const Progress& progress) {
  HF_TRY(const Files files, files_of(keeper, found, progress));
  const transcripts::Homes& homes = files.keeper->homes();
  HF_TRY(const auto inventory, homes.inventory(files.session));
  return transcripts::verify_session(homes.of(files.session), inventory, progress);
}

Result<transcripts::SessionLine> line_of(const Keeper& keeper, transcripts::KeptLines* kept, const Found& found) {
  if (found.on_disk()) return keeper.homes().line_of(*found.on_disk());
  if (found.in_backup()) return line_of_backup(*found.in_backup());
  if (!found.in_guard()) return not_a_transcript(found);
  std::optional<transcripts::KeptLines> unremembered;
  HF_TRY(auto transcript, (kept ? *kept : unremembered.emplace(keeper)).transcript(*found.in_guard()));
  return std::move(transcript.line);
}

}  // namespace holdfast::catalogue
