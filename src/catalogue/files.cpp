#include "catalogue/files.h"

#include <fmt/format.h>

#include <fcntl.h>

#include <cerrno>

namespace holdfast::catalogue {

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
