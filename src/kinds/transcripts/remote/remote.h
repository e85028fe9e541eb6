#pragma once

// Archives elsewhere: gist://[id] and s3://bucket/key (transcript-archive §9).

#include "base/files/fd.h"
#include "base/run/clock.h"
#include "kinds/transcripts/remote/progress.h"
#include "net/client/http_client.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::transcripts {

struct GistOptions {
  std::string token;  // empty: anonymous reads only
  std::string api = "https://api.github.com";
  bool is_public = false;
  std::string description = "Claude Code Session Archive";
};
struct GistUpload {
  std::string gist_id, gist_url;
  std::vector<std::string> files;  // names in the gist
};
// The archive file (zst) as one base64 text or in parts, with a manifest. `gist_id` empty: a new gist; else its former archives
// are replaced and its other files stay. A reader sees the old archive or the new one at any time; when the upload fails, what it
// has put there is taken away again as far as GitHub can be reached. Errors: unauthorised (401, 403), not_found (404), invalid
// (422), unavailable (rate limit, with the time it ends; 5xx), too_large.
Result<GistUpload> upload_to_gist(net::HttpClient& http, const GistOptions& options, const std::string& gist_id,
                                  const std::string& archive_path, std::string_view session_id, Millis now,
                                  const Progress& progress = {});
// The newest archive of the gist, ours or the original's, into an unnamed temporary file in `folder`, to be read from its
// beginning; hashes of the manifest are compared. What GitHub does not serve over HTTP is fetched with git. Errors: as above, and
// corrupt.
Result<Fd> download_from_gist(net::HttpClient& http, const GistOptions& options, const std::string& gist_id,
                              const std::string& folder, const Progress& progress = {});
// The option, else GITHUB_TOKEN, else what `gh auth token` prints; empty when there is none.
std::string find_github_token(const std::string& option,
                              const std::function<std::optional<std::string>(const std::string&)>& environment);

struct S3Options {
  std::string access_key, secret_key, session_token;
  std::string region = "us-east-1";
  std::string endpoint;  // "http://127.0.0.1:9000"; empty: AWS. Path style when given.
  bool replace = false;  // what an upload finds under its key
};
struct S3Place {
  std::string bucket, key;
};
// "s3://bucket/key". Errors: invalid.
Result<S3Place> parse_s3(std::string_view address);
// AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN, AWS_REGION or AWS_DEFAULT_REGION, AWS_ENDPOINT_URL_S3 or
// AWS_ENDPOINT_URL. Errors: unauthorised (no keys), invalid (a region or an endpoint that cannot be).
Result<S3Options> s3_options(const std::function<std::optional<std::string>(const std::string&)>& environment);
// Errors of both: unauthorised (403), not_found (404), each with S3's own code word; invalid (another region or address, with its
// name), unavailable, too_large (above 5 GiB, which S3 does not take at once). Of the upload also conflict: there is an object of
// that key, before it or put there meanwhile, and it is not to be replaced.
Result<void> upload_to_s3(net::HttpClient& http, const S3Options& options, const S3Place& place, const std::string& archive_path,
                          const Progress& progress = {});
// Into an unnamed temporary file in `folder`, to be read from its beginning.
Result<Fd> download_from_s3(net::HttpClient& http, const S3Options& options, const S3Place& place, const std::string& folder,
                            const Progress& progress = {});

// Where an object of S3 is, as the address and the signature want it.
// Path style with an endpoint; on AWS the bucket is part of the host's name, unless it has dots, which the certificate of AWS
// does not cover. The key is percent-encoded as the signature wants it: everything but unreserved characters and slashes.
std::string s3_url(const S3Options& options, const S3Place& place);

}  // namespace holdfast::transcripts
