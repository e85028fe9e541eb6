#include "base/crypto/hash.h"
#include "base/text/text.h"
#include "kinds/transcripts/remote/download_file.h"
#include "kinds/transcripts/remote/gist_api.h"
#include "kinds/transcripts/remote/gist_clone.h"
#include "kinds/transcripts/remote/gist_manifest.h"
#include "kinds/transcripts/remote/remote.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::transcripts {
namespace {

constexpr std::string_view kDownloadStep = "download";
constexpr std::uint64_t kMaxGistFileBytes = 160ULL << 20;  // a whole archive of the original's, as base64

// The files of one gist, each in the way in which it can be had.
class GistReader {
 public:
  GistReader(const GistApi& api, Gist gist, const std::string& folder, const Progress& progress)
      : api_(api), gist_(std::move(gist)), folder_(folder), progress_(progress) {}

  const Gist& gist() const { return gist_; }
  void expect(std::uint64_t bytes) { total_ = bytes; }

  Result<std::string> read(const std::string& name) {
    const GistFile* file = gist_.file(name);
    if (!file) return fail(ErrorKind::corrupt, fmt::format("the gist has lost its file {}", name), "upload the archive again");
    if (file->size > kMaxGistFileBytes)
      return fail(ErrorKind::too_large, fmt::format("{} has {} bytes, more than {}", name, file->size, kMaxGistFileBytes));
    HF_TRY(std::string text, file->truncated ? read_elsewhere(*file) : Result<std::string>(file->content));
    done_ += text.size();
    return text;
  }

 private:
  Result<std::string> read_elsewhere(const GistFile& file) {
    if (!clone_) {
      auto raw =
          api_.read_raw(file.raw_url, file.size, [this](std::uint64_t, std::uint64_t received) { return go_on(received); });
      if (raw || raw.error().kind != ErrorKind::refused) return raw;
      HF_TRY(GistClone clone, GistClone::make(gist_.git_pull_url, folder_, [this] { return go_on(0); }));
      clone_.emplace(std::move(clone));
    }
    return clone_->read(file.name, kMaxGistFileBytes, [this] { return go_on(0); });
  }

  bool go_on(std::uint64_t received) const {
    return !progress_ || progress_(kDownloadStep, std::min(done_ + received, total_), total_);
  }

  const GistApi& api_;
  Gist gist_;
  const std::string& folder_;
  const Progress& progress_;
  std::optional<GistClone> clone_;  // once one file needed it, the rest is there, too
  std::uint64_t done_ = 0, total_ = 0;
};

Result<void> download_parts(GistReader& reader, const std::string& manifest_name, DownloadFile& file) {
  HF_TRY(const std::string text, reader.read(manifest_name));
  HF_TRY(const GistManifest manifest, parse_gist_manifest(text));
  std::uint64_t total = text.size(), bytes = 0;
  for (const auto& part : manifest.parts) total += part.bytes;
  reader.expect(total);
  Sha256 hash;
  for (const auto& part : manifest.parts) {
    HF_TRY(const std::string base64, reader.read(part.name));
    if (base64.size() != part.bytes || to_hex(sha256(base64)) != part.sha256)
      return fail(ErrorKind::corrupt, fmt::format("{} is not what the manifest says", part.name), "upload the archive again");
    auto decoded = from_base64(base64);
    if (!decoded) return fail(ErrorKind::corrupt, fmt::format("{} is not base64", part.name));
    hash.add(*decoded);
    bytes += decoded->size();
    HF_CHECK(file.write(*decoded));
  }
  if (bytes != manifest.bytes || to_hex(hash.digest()) != manifest.sha256)
    return fail(ErrorKind::corrupt, fmt::format("{} is not what the manifest says", manifest.archive),
                "upload the archive again");
  return {};
}

// As the original writes it: one file, no hash.
Result<void> download_single(GistReader& reader, const std::string& name, DownloadFile& file) {
  reader.expect(reader.gist().file(name)->size);
  HF_TRY(std::string text, reader.read(name));
  if (!name.ends_with(".b64")) return file.write(text);
  std::erase_if(text, [](char c) { return c == '\n' || c == '\r' || c == ' '; });
  auto decoded = from_base64(text);
  if (!decoded) return fail(ErrorKind::corrupt, fmt::format("{} is not base64", name));
  return file.write(*decoded);
}

}  // namespace

Result<Fd> download_from_gist(net::HttpClient& http, const GistOptions& options, const std::string& gist_id,
                              const std::string& folder, const Progress& progress) {
  HF_CHECK(check_gist_id(gist_id));
  HF_TRY(DownloadFile file, DownloadFile::make(folder));
  const GistApi api(http, options);
  const auto go_on = [&](std::uint64_t, std::uint64_t) { return !progress || progress(kDownloadStep, 0, 0); };
  HF_TRY(Gist gist, api.read(gist_id, go_on));
  std::vector<std::string> names;
  for (const GistFile& entry : gist.files) names.push_back(entry.name);
  const auto newest = newest_in_gist(names);
  if (!newest)
    return fail(ErrorKind::not_found, fmt::format("gist {} holds no archive of a session", gist_id),
                "its files would be called session-….json.zst.b64");
  GistReader reader(api, std::move(gist), folder, progress);
  HF_CHECK(newest->is_manifest ? download_parts(reader, newest->name, file) : download_single(reader, newest->name, file));
  return std::move(file).finish();
}

}  // namespace holdfast::transcripts
