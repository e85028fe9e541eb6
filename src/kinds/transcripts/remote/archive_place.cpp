#include "kinds/transcripts/remote/archive_place.h"

#include "base/ids.h"
#include "kinds/transcripts/archive/archive_reader.h"

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

}  // namespace

bool is_gist(std::string_view place) {
  return place.starts_with(kGistScheme);
}

bool looks_like_id(std::string_view text) {
  return !text.empty() && text.front() != '-' && text.size() <= kUuidLength &&
         std::ranges::all_of(text, [](char c) { return c == '-' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

bool is_s3(std::string_view place) {
  return place.starts_with(kS3Scheme);
}

Result<Uploaded> upload(const Keeper& keeper, SessionSource& source, const std::string& place, ArchiveOptions options,
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
                  "set GITHUB_TOKEN, log in with `gh auth login`, or give {gist_token}");
  }
  HF_TRY(auto http, net::HttpClient::make());
  HF_TRY(const std::string folder, keeper.temporary_folder());
  const TemporaryFile file{fmt::format("{}/{}.json.zst", folder, make_uuid7())};
  options.format = ArchiveFormat::zst;
  Uploaded uploaded;
  HF_TRY(uploaded.archived, keeper.write(source, file.path, options, progress));
  std::string where = place;
  if (is_s3(place)) {
    if (auto done = upload_to_s3(*http, s3, s3_place, file.path, progress); !done) return fail(blame_remote(done.error()));
  } else {
    auto done =
        upload_to_gist(*http, gist, place.substr(kGistScheme.size()), file.path, source.session().id(), keeper.now(), progress);
    if (!done) return fail(blame_remote(std::move(done).error()));
    uploaded.gist = std::move(*done);
    where = std::string(kGistScheme) + uploaded.gist.gist_id;
  }
  keeper.remember(uploaded.archived, where);
  return uploaded;
}

Result<OpenedArchive> open_archive(const Keeper& keeper, const std::string& place, const RemoteOptions& remote,
                                   const Progress& progress) {
  if (place == "-") {
    HF_TRY(const std::string folder, keeper.temporary_folder());
    HF_TRY(Fd file, spool(STDIN_FILENO, folder, ArchiveLimits{}.max_bytes));
    return OpenedArchive{std::move(file), "-"};
  }
  if (is_remote(place)) {
    HF_TRY(auto http, net::HttpClient::make());
    HF_TRY(const std::string folder, keeper.temporary_folder());
    if (is_s3(place)) {
      HF_TRY(const S3Place s3_place, parse_s3(place));
      HF_TRY(const S3Options options, s3_options(remote.environment));
      HF_TRY(Fd file, download_from_s3(*http, options, s3_place, folder, progress));
      return OpenedArchive{std::move(file), place};
    }
    const std::string id = place.substr(kGistScheme.size());
    if (id.empty()) return fail(ErrorKind::invalid, "gist:// needs the gist's id", "write gist://<id>");
    HF_TRY(Fd file, download_from_gist(*http, with_token(remote), id, folder, progress));
    return OpenedArchive{std::move(file), place};
  }
  HF_TRY(Fd file, open_file(place));
  std::error_code ignored;
  const std::filesystem::path absolute = std::filesystem::absolute(place, ignored);
  return OpenedArchive{std::move(file), absolute.empty() ? place : absolute.string()};
}

}  // namespace holdfast::transcripts
