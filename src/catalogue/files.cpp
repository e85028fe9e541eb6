#include "catalogue/files.h"

#include "kinds/transcripts/remote/archive_place.h"

#include <fmt/format.h>

#include <fcntl.h>

#include <cerrno>
#include <filesystem>

namespace holdfast::catalogue {

namespace {

using transcripts::Keeper;
using transcripts::Progress;

std::unexpected<Error> not_a_transcript(const Found& found) {
  return fail(ErrorKind::invalid, fmt::format("{} is a {} session: it has no files", found.id(), found.kind()));
}

Result<Fd> open_backup(const transcripts::KeptBackup& backup) {
  Fd file(::open(backup.path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return fail(system_error(backup.path, errno));
  return file;
}

Result<transcripts::SessionLine> line_of_backup(const transcripts::KeptBackup& backup) {
  HF_TRY(Fd file, open_backup(backup));
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

Result<std::unique_ptr<transcripts::SessionSource>> source_of(const Keeper& keeper, const Found& found,
                                                              const transcripts::KeptVersion& version, bool as_it_is) {
  if (found.record()) return not_a_transcript(found);
  if (found.on_disk()) return keeper.source(*found.on_disk());
  if (found.in_backup()) {
    HF_TRY(Fd file, open_backup(*found.in_backup()));
    return keeper.source(std::move(file), found.in_backup()->path);
  }
  HF_TRY(session::Blobs* const guard, keeper.guard());
  if (!guard) return fail(ErrorKind::not_found, "there is no guard");
  return transcripts::source_in_guard(*guard, *found.in_guard(), version, as_it_is);
}

Result<transcripts::SessionInfo> describe(const Keeper& keeper, const Found& found, const Progress& progress) {
  HF_TRY(const auto source, source_of(keeper, found));
  HF_TRY(auto info, transcripts::describe_session(keeper, *source, progress));
  if (info.kept) info.warnings.insert(info.warnings.end(), info.inventory.left_out.begin(), info.inventory.left_out.end());
  return info;
}

Result<transcripts::VerifyReport> verify(const Keeper& keeper, const Found& found, const Progress& progress) {
  HF_TRY(const auto source, source_of(keeper, found));
  return transcripts::verify_session(*source, progress);
}

Result<transcripts::SessionLine> line_of(const Keeper& keeper, transcripts::KeptLines* kept, const Found& found) {
  if (found.on_disk()) return keeper.homes().line_of(*found.on_disk());
  if (found.in_backup()) return line_of_backup(*found.in_backup());
  if (!found.in_guard()) return not_a_transcript(found);
  std::optional<transcripts::KeptLines> unremembered;
  HF_TRY(auto transcript, (kept ? *kept : unremembered.emplace(keeper)).transcript(*found.in_guard()));
  return std::move(transcript.line);
}

Result<std::unique_ptr<reading::Reading>> open(const Asker& asker, const Found& found, const reading::EntryKinds& kinds,
                                               const transcripts::ReadingOptions& options, transcripts::ReadingCache* cache,
                                               const transcripts::KeptVersion& version) {
  if (found.record()) {
    HF_TRY(session::Store* const store, asker.store());
    return reading::open_entries(*store, *found.record(), kinds);
  }
  HF_TRY(auto source, source_of(*asker.keeper, found, version, true));
  return transcripts::open_transcript(std::move(source), options, cache);
}

Result<transcripts::CopyResult> clone(const Keeper& keeper, const Found& found, const transcripts::CopyOptions& wanted,
                                      const std::string& current_folder, const Progress& progress) {
  if (!found.is_kept()) {
    HF_TRY(const auto session, on_disk(found));
    return keeper.clone(session, wanted, progress);
  }
  transcripts::CopyOptions options = wanted;
  options.current_folder = current_folder;
  if (!options.target_project) {
    HF_TRY(const auto line, line_of(keeper, nullptr, found));
    if (!line.project_path.empty()) options.target_project = line.project_path;
  }
  HF_TRY(const auto source, source_of(keeper, found));
  return keeper.restore(*source, options, progress);
}

Result<std::optional<Found>> copy_at_place(const Keeper& keeper, const std::string& place, bool guard_alone) {
  std::error_code ignored;
  if (!transcripts::looks_like_id(place) || std::filesystem::exists(place, ignored)) return std::nullopt;
  HF_TRY(Found found, find_copy(keeper, place, guard_alone));
  return found;
}

}  // namespace holdfast::catalogue
