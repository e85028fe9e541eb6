#include "base/crypto/hash.h"
#include "base/result.h"
#include "base/text/text.h"
#include "kinds/transcripts/remote/gist_api.h"
#include "kinds/transcripts/remote/gist_manifest.h"
#include "kinds/transcripts/remote/remote.h"
#include "kinds/transcripts/remote/retry.h"
#include "net/run/child.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>

namespace holdfast::transcripts {

namespace {

// A gist as the git repository that it is: for files above 10 MB, which GitHub serves in no other way.

// A bare clone in a folder of its own below `folder`, removed at the end of its life. Nothing is checked out: no hook, filter or
// link of the repository does anything here. Blocking; needs git.
class GistClone {
 public:
  // Asked while git runs; false stops it. May be empty.
  using GoOn = std::function<bool()>;

  // Errors: invalid (not an http or https address), unavailable (no git, or it failed), timeout, cancelled, io.
  static Result<GistClone> make(const std::string& url, const std::string& folder, const GoOn& go_on);
  GistClone(GistClone&& other) noexcept;
  GistClone& operator=(GistClone&&) = delete;
  ~GistClone();

  // A file of the newest version. Errors: corrupt (not there), too_large, and the above.
  Result<std::string> read(const std::string& name, std::uint64_t max_bytes, const GoOn& go_on) const;

 private:
  explicit GistClone(std::string folder) : folder_(std::move(folder)) {}
  std::string folder_;  // empty: moved from
};

constexpr std::chrono::minutes kLongestClone{30};  // the largest gist over a slow line
constexpr std::chrono::minutes kLongestRead{2};    // from disk
constexpr std::size_t kMaxGitWords = 300;

// Never asks anybody anything: nobody may be there to answer.
Result<net::ChildResult> run_git(std::vector<std::string> arguments, std::chrono::milliseconds timeout, std::uint64_t max_output,
                                 const GistClone::GoOn& go_on) {
  net::ChildCall call;
  call.arguments = {"git"};
  call.arguments.insert(call.arguments.end(), arguments.begin(), arguments.end());
  call.environment = {{"GIT_TERMINAL_PROMPT", "0"}, {"GIT_ASKPASS", "true"}, {"LC_ALL", "C"}};
  call.timeout = timeout;
  call.max_output = max_output;
  call.go_on = go_on;
  auto result = net::run_child(call);
  if (!result && result.error().kind == ErrorKind::not_found)
    return fail(ErrorKind::unavailable, "a file of the gist can only be fetched with git, which is not installed", "install git");
  return result;
}

Result<GistClone> GistClone::make(const std::string& url, const std::string& folder, const GoOn& go_on) {
  // Other protocols of git run programs.
  if (!url.starts_with("https://") && !url.starts_with("http://"))
    return fail(ErrorKind::invalid,
                "the gist has no address that git may be given: " + shorten(to_valid_utf8(url), kMaxGitWords));
  std::string place = folder + "/.holdfast-gist-XXXXXX";
  if (!::mkdtemp(place.data())) return fail(system_error("temporary folder in " + folder, errno));
  GistClone clone(place);
  HF_TRY(const net::ChildResult result,
         run_git({"-c", "protocol.allow=never", "-c", "protocol.http.allow=always", "-c", "protocol.https.allow=always", "clone",
                  "--quiet", "--bare", "--depth", "1", "--no-tags", "--template=", "--", url, place + "/gist.git"},
                 kLongestClone, 1 << 20, go_on));
  if (result.exit_code != 0)
    return fail(ErrorKind::unavailable,
                "git could not fetch the gist: " + shorten(to_valid_utf8(trim(result.errors)), kMaxGitWords));
  return clone;
}

GistClone::GistClone(GistClone&& other) noexcept : folder_(std::exchange(other.folder_, {})) {}

GistClone::~GistClone() {
  std::error_code ignored;
  if (!folder_.empty()) std::filesystem::remove_all(folder_, ignored);
}

Result<std::string> GistClone::read(const std::string& name, std::uint64_t max_bytes, const GoOn& go_on) const {
  HF_TRY(net::ChildResult result,
         run_git({"--git-dir=" + folder_ + "/gist.git", "cat-file", "blob", "HEAD:" + name}, kLongestRead, max_bytes, go_on));
  if (result.exit_code != 0) return fail(ErrorKind::corrupt, fmt::format("the gist has lost its file {}", name));
  return std::move(result.output);
}

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
