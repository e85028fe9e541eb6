#include "kinds/transcripts/guard/restore_kept.h"

#include "kinds/transcripts/home/home.h"
#include "kinds/transcripts/products/codex/codex_file_name.h"
#include "kinds/transcripts/reading/session_info.h"
#include "kinds/transcripts/staging/destinations.h"
#include "kinds/transcripts/staging/stage_session.h"
#include "kinds/transcripts/verbs/verify.h"

#include <fmt/format.h>

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace holdfast::transcripts {
namespace {

// A transcript of less than this part of what an earlier version had was more likely emptied than meant.
constexpr std::uint64_t kMuchShorter = 2;

constexpr std::size_t kComparedBytes = 256 * 1024;

enum class There { no, same, grown, differs };

// What stands where the file was.
Result<There> compare(const Home& home, const std::string& path, session::Blobs& guard, const session::KeptFile& kept) {
  const auto file = home.open_file(path);
  if (!file && file.error().kind == ErrorKind::not_found) return There::no;
  if (!file) return There::differs;  // a folder, a link: something else
  struct stat status{};
  if (::fstat(file->get(), &status) != 0) return fail(system_error(path, errno));
  const auto size = static_cast<std::uint64_t>(status.st_size);
  if (size < kept.size) return There::differs;
  std::string ours(kComparedBytes, '\0'), theirs(kComparedBytes, '\0');
  for (std::uint64_t at = 0; at < kept.size;) {
    HF_TRY(const std::size_t got, guard.read(kept, at, ours));
    std::size_t filled = 0;
    while (filled < got) {
      const ssize_t read = ::pread(file->get(), theirs.data() + filled, got - filled, static_cast<off_t>(at + filled));
      if (read < 0 && errno == EINTR) continue;
      if (read < 0) return fail(system_error(path, errno));
      if (read == 0) return There::differs;
      filled += static_cast<std::size_t>(read);
    }
    if (got == 0 || std::string_view(ours).substr(0, got) != std::string_view(theirs).substr(0, got)) return There::differs;
    at += got;
  }
  return size == kept.size ? There::same : There::grown;
}

class RestoringKept {
 public:
  RestoringKept(const Homes& homes, session::Blobs& guard, const KeptTranscript& kept, const RestoreKeptOptions& options)
      : home_(home_of(homes, kept.session.product)), guard_(guard), kept_(kept.session), options_(options) {}

  // What is to be done with each file, before anything is done.
  Result<void> look(const Progress& progress) {
    HF_TRY(const auto files, files_of(guard_, kept_, options_.version));
    std::vector<std::string> conflicts;
    for (const session::KeptFile& file : files) total_ += file.size;
    for (const session::KeptFile& file : files) {
      const std::string path = file_of_key(file.key).value_or(GuardedFile{}).path;
      if (!options_.session_env && path.starts_with("session-env/")) {
        result_.left_out.push_back(shown_path(path) + ": a script the client would run");
        continue;
      }
      const auto there = compare(home_, path, guard_, file);
      if (!there && there.error().kind != ErrorKind::corrupt) return fail(there.error());
      // Damaged, and something is there: not ours to judge.
      if (!there || *there == There::same || *there == There::grown) {
        result_.left_out.push_back(shown_path(path) + (!there                   ? ": there already, and damaged in the guard"
                                                       : *there == There::grown ? ": there already, with more than was kept"
                                                                                : ": there already, with the same content"));
      } else if (*there == There::differs) {
        conflicts.push_back(path);
      } else {
        missing_.push_back(file);
      }
      HF_CHECK(tell(progress, "comparing", file.size));
    }
    if (!conflicts.empty()) return refuse(conflicts, files.size());
    const bool brings_transcript = !missing_.empty() && missing_.front().key == kept_.transcript.key;
    if (brings_transcript && kept_.product == Product::claude) HF_CHECK(check_lives_nowhere_else(home_, kept_.place));
    if (brings_transcript && kept_.product == Product::codex)
      HF_CHECK(check_codex_lives_nowhere_else(home_, kept_.id, kept_.path()));
    return warn_of_shorter(files.front());
  }

  Result<void> put_back(const Progress& progress) {
    done_ = 0;
    total_ = 0;
    for (const session::KeptFile& file : missing_) total_ += file.size;
    std::vector<Artifact> artifacts;
    for (const session::KeptFile& file : missing_) {
      HF_TRY(const bool whole, is_whole(file, progress));
      if (whole) artifacts.push_back(artifact_of(file));
    }
    std::optional<Staging> staging;
    if (!options_.dry_run && !artifacts.empty()) {
      HF_TRY(Staging begun, Staging::begin(home_, "restore", kept_.id));
      staging.emplace(std::move(begun));
    }
    StageSession::Options options;
    options.staging = staging ? &*staging : nullptr;
    options.place = [](const Artifact& each) -> std::optional<std::string> { return each.path; };
    StageSession stage(std::move(options));
    const auto source = source_in_guard(guard_, kept_, options_.version);
    HF_CHECK(source->read(artifacts, stage));
    counts_ = stage.counts();
    // A compressed rollout was put back as it is: its records are counted in what it holds.
    if (!artifacts.empty() && artifacts.front().path.ends_with(kCompressedEnding)) {
      HF_TRY(const VerifyReport report, verify_session(*source));
      counts_.main_records = report.main_records;
    }
    if (!staging) return {};
    if (artifacts.front().path == kept_.path()) staging->set_main(kept_.path(), "");
    return staging->commit();
  }

  const StageSession::Counts& counts() const { return counts_; }
  CopyResult take_result() { return std::move(result_); }

 private:
  std::unexpected<Error> refuse(const std::vector<std::string>& conflicts, std::size_t files) const {
    std::string named;
    for (std::size_t i = 0; i < conflicts.size() && i < kNamedConflicts; ++i)
      named += "\n  " + shown_path(home_.absolute(conflicts[i]));
    if (conflicts.size() > kNamedConflicts) named += fmt::format("\n  and {} more", conflicts.size() - kNamedConflicts);
    return fail(ErrorKind::conflict,
                fmt::format("{} of {} files exist already, with other content:{}", conflicts.size(), files, named),
                "nothing was written; move them away, or restore as a copy (without {in_place})");
  }

  Result<void> warn_of_shorter(const session::KeptFile& transcript) {
    HF_TRY(const auto versions, guard_.versions(transcript.key));
    for (const session::KeptFile& version : versions) {
      if (version.version >= transcript.version || version.size / kMuchShorter <= transcript.size) continue;
      result_.warnings.push_back(fmt::format("version {} of the transcript has {} bytes, this one {}: {{version}} {} restores it",
                                             version.version, version.size, transcript.size, version.version));
      break;
    }
    return {};
  }

  Result<void> tell(const Progress& progress, std::string_view step, std::uint64_t bytes) {
    done_ += bytes;
    if (progress && !progress(step, done_, total_)) return fail(ErrorKind::cancelled, "stopped; nothing was written");
    return {};
  }

  // False: it is damaged, and left out.
  Result<bool> is_whole(const session::KeptFile& file, const Progress& progress) {
    auto whole = check_kept(guard_, file, [&](std::uint64_t bytes) { return tell(progress, "reading the guard", bytes); });
    if (whole) return true;
    if (whole.error().kind != ErrorKind::corrupt) return fail(std::move(whole).error());
    if (file.key == kept_.transcript.key) return fail(lost_transcript(kept_, std::move(whole).error()));
    const std::string path = shown_path(file_of_key(file.key).value_or(GuardedFile{}).path);
    result_.left_out.push_back(path + ": damaged in the guard");
    result_.warnings.push_back(path + " is damaged in the guard and was left out");
    return false;
  }

  Artifact artifact_of(const session::KeptFile& file) const {
    const std::string path = file_of_key(file.key).value_or(GuardedFile{}).path;
    const ArtifactKind kind = kept_.product == Product::codex ? ArtifactKind::main_transcript
                                                              : kind_of_path(path, kept_.place).value_or(ArtifactKind::other);
    return {kind, path, file.size, file.mode & 0777, file.modified_at};
  }

  const Home& home_;
  session::Blobs& guard_;
  const KeptSession& kept_;
  const RestoreKeptOptions& options_;
  std::vector<session::KeptFile> missing_;
  std::uint64_t total_ = 0, done_ = 0;
  StageSession::Counts counts_;
  CopyResult result_;
};

}  // namespace

Result<CopyResult> restore_kept(const Homes& homes, session::Blobs& guard, const KeptTranscript& kept,
                                const RestoreKeptOptions& options, Millis now, const Progress& progress) {
  RestoringKept restoring(homes, guard, kept, options);
  HF_CHECK(restoring.look(progress));
  HF_CHECK(restoring.put_back(progress));
  CopyResult result = restoring.take_result();
  result.new_session_id = result.original_session_id = kept.session.id;
  result.restored_at = now;
  result.was_in_place = true;
  result.was_dry_run = options.dry_run;
  result.project_path = kept.line.project_path;
  result.custom_title = kept.line.custom_title;
  if (kept.session.product == Product::codex) {
    result.main_session_file = homes.codex.absolute(kept.session.path());
    result.main_records = restoring.counts().main_records;
    result.files = restoring.counts().files;
    result.bytes = restoring.counts().bytes;
  } else {
    describe_copy(result, homes.claude, kept.session.place, Identity{}, restoring.counts(), RewriteCounts{});
  }
  result.resume_command = resume_command(kept.line);
  return result;
}

Result<CopyResult> restore_kept(const Keeper& keeper, const KeptTranscript& kept, const RestoreKeptOptions& options,
                                const Progress& progress) {
  HF_TRY(session::Blobs* const guard, keeper.guard());
  if (!guard) return fail(ErrorKind::not_found, "there is no guard");
  HF_TRY(CopyResult result, restore_kept(keeper.homes(), *guard, kept, options, keeper.now(), progress));
  keeper.remember_copy(result, kept.line.project_path, "guard:" + kept.session.id, kept.session.transcript.sha256);
  return result;
}

}  // namespace holdfast::transcripts
