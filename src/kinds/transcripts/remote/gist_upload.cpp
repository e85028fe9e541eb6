#include "base/crypto/hash.h"
#include "base/json/json.h"
#include "kinds/transcripts/remote/gist_api.h"
#include "kinds/transcripts/remote/remote.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

namespace holdfast::transcripts {
namespace {

constexpr std::string_view kUploadStep = "upload";

// An archive, read in parts from its beginning to its end.
class ArchiveParts {
 public:
  static Result<ArchiveParts> open(const std::string& path) {
    Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    struct stat status{};
    if (!fd || ::fstat(fd.get(), &status) != 0) return fail(system_error(path, errno));
    if (!S_ISREG(status.st_mode) || status.st_size == 0) return fail(ErrorKind::invalid, "not an archive: " + path);
    ArchiveParts parts;
    parts.path_ = path;
    parts.fd_ = std::move(fd);
    parts.bytes_ = static_cast<std::uint64_t>(status.st_size);
    if (parts.count() > kMaxGistParts)
      return fail(
          ErrorKind::too_large,
          fmt::format("{}: {} bytes are too much for a gist, which takes {}", path, parts.bytes_, kMaxGistParts * kGistPartBytes),
          "keep it in a file or in S3");
    return parts;
  }

  std::uint64_t bytes() const { return bytes_; }
  std::size_t count() const { return static_cast<std::size_t>((bytes_ + kGistPartBytes - 1) / kGistPartBytes); }

  Result<std::string> next_as_base64() {
    std::string part(static_cast<std::size_t>(std::min(kGistPartBytes, bytes_ - read_)), '\0');
    for (std::size_t filled = 0; filled < part.size();) {
      const ssize_t got = ::pread(fd_.get(), part.data() + filled, part.size() - filled, static_cast<off_t>(read_ + filled));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return fail(system_error("read " + path_, errno));
      if (got == 0) return fail(ErrorKind::conflict, path_ + " became shorter while it was uploaded");
      filled += static_cast<std::size_t>(got);
    }
    read_ += part.size();
    hash_.add(part);
    return to_base64(part);
  }
  std::string sha256() const { return to_hex(hash_.digest()); }  // of what was read

 private:
  ArchiveParts() = default;
  std::string path_;
  Fd fd_;
  std::uint64_t bytes_ = 0, read_ = 0;
  Sha256 hash_;
};

// {"files":{...}} with members added before it is closed.
class FilesBody {
 public:
  explicit FilesBody(std::string_view members_before = {}) : text_("{") { text_.append(members_before).append("\"files\":{"); }

  void add(std::string_view name, std::string_view content) {
    member(name);
    text_ += "{\"content\":";
    append_json_string(text_, content);
    text_ += '}';
  }
  void remove(std::string_view name) {
    member(name);
    text_ += "null";
  }
  std::string finish() && { return std::move(text_) + "}}"; }

 private:
  void member(std::string_view name) {
    if (!text_.ends_with('{')) text_ += ',';
    append_json_string(text_, name);
    text_ += ':';
  }
  std::string text_;
};

class Upload {
 public:
  Upload(const GistApi& api, const GistOptions& options, ArchiveParts& archive, std::string name, const Progress& progress)
      : api_(api), options_(options), archive_(archive), name_(std::move(name)), progress_(progress) {}

  Result<GistUpload> run(const std::string& gist_id) {
    auto done = steps(gist_id);
    if (!done) undo();
    return done;
  }

 private:
  Result<GistUpload> steps(const std::string& gist_id) {
    if (!gist_id.empty()) {
      HF_TRY(const Gist before, api_.read(gist_id, moved(0)));
      result_.gist_id = gist_id;
      result_.gist_url = before.html_url;
      for (const GistFile& file : before.files)
        if (is_gist_archive_file(file.name)) old_names_.push_back(file.name);
    }
    GistManifest manifest{.archive = name_, .sha256 = {}, .bytes = archive_.bytes(), .parts = {}};
    for (std::size_t number = 0; number < archive_.count(); ++number) {
      HF_TRY(const std::string text, archive_.next_as_base64());
      manifest.parts.push_back({gist_part_name(name_, number, archive_.count()), to_hex(sha256(text)), text.size()});
      HF_CHECK(add(manifest.parts.back().name, text, number * kGistPartBytes));
    }
    manifest.sha256 = archive_.sha256();
    HF_CHECK(finish(manifest));
    return result_;
  }

  Result<void> add(const std::string& name, std::string_view text, std::uint64_t before) {
    if (!result_.gist_id.empty()) {
      FilesBody body;
      body.add(name, text);
      result_.files.push_back(name);  // before it is there: a call that fails may have worked
      return api_.change(result_.gist_id, std::move(body).finish(), moved(before));
    }
    std::string members = fmt::format("\"public\":{},\"description\":", options_.is_public);
    append_json_string(members, options_.description);
    FilesBody body(members + ',');
    body.add(name, text);
    HF_TRY(const Gist made, api_.create(std::move(body).finish(), moved(before)));
    is_new_ = true;
    result_.gist_id = made.id;
    result_.gist_url = made.html_url;
    result_.files.push_back(name);
    return {};
  }

  // In one call the manifest comes and the old archive goes: nobody sees neither, or a manifest without its parts.
  Result<void> finish(const GistManifest& manifest) {
    const std::string name = gist_manifest_name(name_);
    result_.files.push_back(name);
    FilesBody body;
    body.add(name, to_text(manifest));
    for (const std::string& old : old_names_)
      if (std::ranges::find(result_.files, old) == result_.files.end()) body.remove(old);
    HF_CHECK(api_.change(result_.gist_id, std::move(body).finish(), moved(archive_.bytes())));
    if (progress_) progress_(kUploadStep, archive_.bytes(), archive_.bytes());
    return {};
  }

  // What is left behind is harmless, since no manifest names it; and the next upload takes it away. So this may fail.
  void undo() const {
    if (result_.files.empty()) return;
    if (is_new_) {
      (void)api_.remove(result_.gist_id);
      return;
    }
    FilesBody body;
    for (const std::string& name : result_.files)
      if (std::ranges::find(old_names_, name) == old_names_.end()) body.remove(name);
    (void)api_.change(result_.gist_id, std::move(body).finish(), {});
  }

  // Text is a third longer than the bytes it stands for, which is what the caller counts.
  GistApi::Moved moved(std::uint64_t before) const {
    if (!progress_) return {};
    return [this, before](std::uint64_t sent, std::uint64_t) {
      return progress_(kUploadStep, std::min(before + sent / 4 * 3, archive_.bytes()), archive_.bytes());
    };
  }

  const GistApi& api_;
  const GistOptions& options_;
  ArchiveParts& archive_;
  std::string name_;
  const Progress& progress_;
  GistUpload result_;
  std::vector<std::string> old_names_;
  bool is_new_ = false;
};

}  // namespace

Result<GistUpload> upload_to_gist(net::HttpClient& http, const GistOptions& options, const std::string& gist_id,
                                  const std::string& archive_path, std::string_view session_id, Millis now,
                                  const Progress& progress) {
  if (options.token.empty())
    return fail(ErrorKind::unauthorised, "GitHub takes no gist without a token",
                "give a token: option, GITHUB_TOKEN, or gh auth login");
  if (!gist_id.empty()) HF_CHECK(check_gist_id(gist_id));
  HF_TRY(ArchiveParts archive, ArchiveParts::open(archive_path));
  const GistApi api(http, options);
  return Upload(api, options, archive, gist_archive_name(session_id, now), progress).run(gist_id);
}

}  // namespace holdfast::transcripts
