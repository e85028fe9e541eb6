#include "kinds/transcripts/remote/archive_place.h"

#include "base/ids.h"
#include "kinds/transcripts/home/shown_path.h"
#include "kinds/transcripts/verbs/backups.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

namespace holdfast::transcripts {

namespace {

constexpr std::string_view kGistScheme = "gist://", kS3Scheme = "s3://";

// The archive on its way to a remote; gone when the upload is over, whatever became of it.
struct TemporaryFile {
  std::string path;
  ~TemporaryFile() { ::unlink(path.c_str()); }
};

GistOptions with_token(const RemoteOptions& remote) {
  GistOptions options = remote.gist;
  options.token = find_github_token(options.token, remote.environment);
  return options;
}

Error blame_remote(Error error) {
  if (error.kind == ErrorKind::invalid) error.kind = ErrorKind::unavailable;
  return error;
}

Result<Fd> open_file(const std::string& path) {
  Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file) return fail(system_error(path, errno));
  struct stat status{};
  if (::fstat(file.get(), &status) != 0) return fail(system_error(path, errno));
  if (!S_ISREG(status.st_mode)) return fail(ErrorKind::invalid, path + " is not a file", "give the path of an archive");
  return file;
}

// The session as the guard has it, as an archive with everything in it.
Result<Opened> archive_from_guard(const Keeper& keeper, session::Blobs& guard, const KeptSession& kept,
                                  const KeptVersion& version, const Progress& progress) {
  HF_TRY(const std::string folder, keeper.temporary_folder());
  HF_TRY(KeptHome home, KeptHome::make(folder, guard));
  HF_TRY(const AnySession session, home.lay_out(kept, version, progress));
  const TemporaryFile file{fmt::format("{}/{}.json.zst", folder, make_uuid7())};
  ArchiveOptions options;
  options.with_history = true;
  HF_TRY(const Archived archived, keeper.over(home.homes()).write(session, file.path, options, progress));
  HF_TRY(Fd opened, open_file(file.path));
  std::vector<std::string> left_out = home.left_out();
  for (const std::string& each : archived.report.left_out) left_out.push_back(shown_path(each));
  return Opened{std::move(opened), "guard:" + kept.id, true, std::move(left_out)};
}

// What the guard has, unless a backup is newer.
Result<std::optional<KeptSession>> newest_in_guard(const Keeper& keeper, const std::string& id, const KeptVersion& version,
                                                   const Result<KeptBackup>& backup) {
  HF_TRY(session::Blobs* const guard, keeper.guard());
  auto kept = guard ? find_kept_session(*guard, id) : Result<KeptSession>(fail(ErrorKind::not_found, ""));
  if (!kept && kept.error().kind == ErrorKind::ambiguous) return fail(std::move(kept).error());
  if (!kept && guard && (version.number || version.as_of)) return fail(std::move(kept).error());
  const bool asked = version.number || version.as_of;
  if (!kept || (backup && !asked && kept->transcript.kept_at <= backup->made_at)) return std::nullopt;
  return std::optional(*std::move(kept));
}

// The newer of the two, when there are both. Errors: not_found, ambiguous.
Result<Opened> open_copy(const Keeper& keeper, const std::string& id, const KeptVersion& version, const Progress& progress) {
  auto backup = find_backup(keeper.backup_folder(), id);
  HF_TRY(const auto kept, newest_in_guard(keeper, id, version, backup));
  if (kept) {
    HF_TRY(session::Blobs* const guard, keeper.guard());
    return archive_from_guard(keeper, *guard, *kept, version, progress);
  }
  if (!backup && backup.error().kind == ErrorKind::not_found) {
    return fail(ErrorKind::not_found,
                fmt::format("there is no session {} in the guard, and no backup of it in {}", id, keeper.backup_folder()),
                "holdfast guard list --gone shows what can be restored");
  }
  if (!backup) return fail(std::move(backup).error());
  HF_TRY(Fd opened, open_file(backup->path));
  return Opened{std::move(opened), backup->path, false, {}};
}

}  // namespace

bool is_gist(std::string_view place) {
  return place.starts_with(kGistScheme);
}

bool looks_like_id(std::string_view text) {
  return !text.empty() && text.size() <= kUuidLength &&
         std::ranges::all_of(text, [](char c) { return c == '-' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

bool is_s3(std::string_view place) {
  return place.starts_with(kS3Scheme);
}

Result<Uploaded> upload(const Keeper& keeper, const AnySession& session, const std::string& place, ArchiveOptions options,
                        const RemoteOptions& remote, const Progress& progress) {
  // What can be known to be wrong is found out before anything is written or read.
  S3Options s3;
  S3Place s3_place;
  GistOptions gist;
  if (is_s3(place)) {
    HF_TRY(s3_place, parse_s3(place));
    HF_TRY(s3, s3_options(remote.environment));
    s3.replace = remote.replace;
  } else {
    gist = with_token(remote);
    if (gist.token.empty())
      return fail(ErrorKind::unauthorised, "uploading to a gist needs a GitHub token",
                  "set GITHUB_TOKEN, log in with `gh auth login`, or give --gist-token");
  }
  HF_TRY(auto http, net::HttpClient::make());
  HF_TRY(const std::string folder, keeper.temporary_folder());
  const TemporaryFile file{fmt::format("{}/{}.json.zst", folder, make_uuid7())};
  options.format = ArchiveFormat::zst;
  Uploaded uploaded;
  HF_TRY(uploaded.archived, keeper.write(session, file.path, options, progress));
  std::string where = place;
  if (is_s3(place)) {
    if (auto done = upload_to_s3(*http, s3, s3_place, file.path, progress); !done) return fail(blame_remote(done.error()));
  } else {
    auto done = upload_to_gist(*http, gist, place.substr(kGistScheme.size()), file.path, session.id(), keeper.now(), progress);
    if (!done) return fail(blame_remote(std::move(done).error()));
    uploaded.gist = std::move(*done);
    where = std::string(kGistScheme) + uploaded.gist.gist_id;
  }
  keeper.remember(uploaded.archived, where);
  return uploaded;
}

Result<Opened> open_archive(const Keeper& keeper, const std::string& place, const RemoteOptions& remote, const Progress& progress,
                            const KeptVersion& version) {
  if (place == "-") {
    HF_TRY(const std::string folder, keeper.temporary_folder());
    HF_TRY(Fd file, spool(STDIN_FILENO, folder, ArchiveLimits{}.max_bytes));
    return Opened{std::move(file), "-", false, {}};
  }
  if (is_remote(place)) {
    HF_TRY(auto http, net::HttpClient::make());
    HF_TRY(const std::string folder, keeper.temporary_folder());
    if (is_s3(place)) {
      HF_TRY(const S3Place s3_place, parse_s3(place));
      HF_TRY(const S3Options options, s3_options(remote.environment));
      HF_TRY(Fd file, download_from_s3(*http, options, s3_place, folder, progress));
      return Opened{std::move(file), place, false, {}};
    }
    const std::string id = place.substr(kGistScheme.size());
    if (id.empty()) return fail(ErrorKind::invalid, "gist:// needs the gist's id", "write gist://<id>");
    HF_TRY(Fd file, download_from_gist(*http, with_token(remote), id, folder, progress));
    return Opened{std::move(file), place, false, {}};
  }
  auto file = open_file(place);
  if (!file && file.error().kind == ErrorKind::not_found && looks_like_id(place)) {
    return open_copy(keeper, place, version, progress);
  }
  if (!file) return fail(std::move(file).error());
  std::error_code ignored;
  const std::filesystem::path absolute = std::filesystem::absolute(place, ignored);
  return Opened{std::move(*file), absolute.empty() ? place : absolute.string(), false, {}};
}

Result<std::optional<KeptTranscript>> kept_at_place(const Keeper& keeper, const std::string& place, const KeptVersion& version) {
  std::error_code ignored;
  if (!looks_like_id(place) || std::filesystem::exists(place, ignored)) return std::nullopt;
  const auto backup = find_backup(keeper.backup_folder(), place);
  HF_TRY(const auto kept, newest_in_guard(keeper, place, version, backup));
  if (!kept) return std::nullopt;
  HF_TRY(KeptTranscript found, KeptLines(keeper).find(kept->id, version));
  return found;
}

}  // namespace holdfast::transcripts
