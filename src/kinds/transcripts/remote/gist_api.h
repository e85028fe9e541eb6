#pragma once

// The few calls of GitHub's gist interface that we make, and what its answers mean.
//
// Blocking, one thread at a time, as the client it uses. The token is sent to the host of the interface and to no other, and
// appears in no error.

#include "base/json/json.h"
#include "base/result.h"
#include "base/run/clock.h"
#include "kinds/transcripts/remote/remote.h"
#include "net/client/http_client.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::transcripts {

// What an archive looks like inside a gist (transcript-archive §9): base64 text in one file or in parts, and a small manifest
// that names them with their hashes. The time in the names says which archive of a gist is the newest. No network here.
//
//   session-0199a8b7-20260728_093000.json.zst.b64               up to 7 MiB of text; the original's own name for it
//   session-0199a8b7-20260728_093000.json.zst.b64.part-001      else
//   session-0199a8b7-20260728_093000.json.zst.manifest.json     always, and written last

// A file above 10 MB is not served over HTTP; this leaves room for whoever counts differently. A multiple of 4, so that each part
// is base64 of its own.
inline constexpr std::uint64_t kGistPartText = 7 << 20;
inline constexpr std::uint64_t kGistPartBytes = kGistPartText / 4 * 3;
// Of a gist's files only 300 are listed; some are left for the manifest and for what others keep there.
inline constexpr std::size_t kMaxGistParts = 280;

struct GistManifest {
  struct Part {
    std::string name;
    std::string sha256;  // of its text
    std::uint64_t bytes = 0;
  };
  std::string archive;  // its name: "session-….json.zst"
  std::string sha256;   // of the archive itself
  std::uint64_t bytes = 0;
  std::vector<Part> parts;  // in order
};

std::string gist_archive_name(std::string_view session_id, Millis now);
std::string gist_part_name(std::string_view archive, std::size_t part, std::size_t parts);  // part counts from 0
std::string gist_manifest_name(std::string_view archive);

std::string to_text(const GistManifest& manifest);
// Errors: corrupt (not a manifest, names or sizes that we never write).
Result<GistManifest> parse_gist_manifest(std::string_view text);

// Is it a file that an upload of ours, or of the original, has left? Such files are replaced by the next upload.
bool is_gist_archive_file(std::string_view name);

struct GistChoice {
  std::string name;
  bool is_manifest = false;
};
// The newest archive: a manifest, or a single file of the original's shape (.json, .json.zst, each perhaps .b64) that is newer
// than every manifest. nullopt when there is none.
std::optional<GistChoice> newest_in_gist(const std::vector<std::string>& names);

inline constexpr std::size_t kMaxGistId = 64;       // today they have 32
Result<void> check_gist_id(const std::string& id);  // it becomes part of an address. Errors: invalid

struct GistFile {
  std::string name;
  std::string content;     // the beginning only when truncated
  bool truncated = false;  // above 1 MB
  std::string raw_url;
  std::uint64_t size = 0;
};

struct Gist {
  std::string id, html_url, git_pull_url;
  std::vector<GistFile> files;

  const GistFile* file(std::string_view name) const;
};

class GistApi {
 public:
  // Bytes of the call under way. False stops it. May be empty.
  using Moved = std::function<bool(std::uint64_t sent, std::uint64_t received)>;

  GistApi(net::HttpClient& http, const GistOptions& options);

  // Errors of all: unauthorised, not_found, invalid (422), unavailable (rate limit, 5xx), corrupt (an answer that makes no
  // sense), and those of the client.
  Result<Gist> read(const std::string& id, const Moved& moved) const;
  // `body` is the JSON that the interface wants. Returns id and address only.
  Result<Gist> create(std::string body, const Moved& moved) const;
  Result<void> change(const std::string& id, std::string body, const Moved& moved) const;
  Result<void> remove(const std::string& id) const;
  // A file's own address. Any answer but 200 is `refused`: there may be another way to the file.
  Result<std::string> read_raw(const std::string& url, std::uint64_t size, const Moved& moved) const;

 private:
  net::HttpCall call(std::string method, std::string path, std::string body, const Moved& moved) const;
  Result<net::HttpAnswer> checked(Result<net::HttpAnswer> answer, std::string_view what) const;

  net::HttpClient& http_;
  const GistOptions& options_;
  std::string api_;  // without a slash at its end
};

}  // namespace holdfast::transcripts
