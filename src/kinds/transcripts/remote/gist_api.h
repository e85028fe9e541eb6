#pragma once

// The few calls of GitHub's gist interface that we make, and what its answers mean.
//
// Blocking, one thread at a time, as the client it uses. The token is sent to the host of the interface and to no other, and
// appears in no error.

#include "base/json/json.h"
#include "kinds/transcripts/remote/remote.h"
#include "net/client/http_client.h"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::transcripts {

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
