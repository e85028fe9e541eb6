#include "catalogue/copies.h"

#include "catalogue/files.h"

#include <fmt/format.h>

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

}  // namespace holdfast::catalogue
