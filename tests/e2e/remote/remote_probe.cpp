// Archives to and from remote places, by arguments: what the e2e tests of kinds/transcripts/remote/remote.h drive.
//
//   holdfast-remote-probe gist-upload API TOKEN GIST_ID|- FILE SESSION_ID TIME     prints the gist's id
//   holdfast-remote-probe gist-download API TOKEN|- GIST_ID OUTPUT
//   holdfast-remote-probe s3-upload ADDRESS FILE                                   AWS_* in the environment
//   with HOLDFAST_PROBE_REPLACE an upload replaces what is there
//   holdfast-remote-probe s3-download ADDRESS OUTPUT
//
// Exit code 0, or 1 with "<kind>: <message> (<hint>)" on standard error. "-" stands for an empty argument.
// HOLDFAST_PROBE_STOP_AFTER makes the progress callback ask to stop from that call on.

#include "base/files/file.h"
#include "kinds/transcripts/remote/remote.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

using namespace holdfast;
using namespace holdfast::transcripts;

constexpr std::size_t kMaxDownload = 1 << 30;

Progress make_progress() {
  const char* limit = std::getenv("HOLDFAST_PROBE_STOP_AFTER");
  if (!limit) return {};
  return [left = std::atoi(limit)](std::string_view, std::uint64_t, std::uint64_t) mutable { return left-- > 0; };
}

std::optional<std::string> environment(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  return value ? std::optional<std::string>(value) : std::nullopt;
}

std::string argument(const std::string& text) {
  return text == "-" ? std::string() : text;
}

Result<void> keep(const Fd& fd, const std::string& path) {
  HF_TRY(const std::string bytes, read_all(fd.get(), kMaxDownload));
  return replace_file(path, bytes);
}

std::string folder_of(const std::string& path) {
  return path.substr(0, path.rfind('/'));
}

Result<void> run(const std::vector<std::string>& arguments) {
  HF_TRY(const auto http, net::HttpClient::make());
  const auto is = [&](std::string_view verb, std::size_t count) { return arguments[0] == verb && arguments.size() == count + 1; };
  if (is("gist-upload", 6)) {
    GistOptions options;
    options.api = arguments[1];
    options.token = argument(arguments[2]);
    HF_TRY(const GistUpload upload, upload_to_gist(*http, options, argument(arguments[3]), arguments[4], arguments[5],
                                                   std::atoll(arguments[6].c_str()), make_progress()));
    fmt::print("{}\n{}\n", upload.gist_id, upload.gist_url);
    for (const std::string& name : upload.files) fmt::print("{}\n", name);
    return {};
  }
  if (is("gist-download", 4)) {
    GistOptions options;
    options.api = arguments[1];
    options.token = argument(arguments[2]);
    HF_TRY(const Fd fd, download_from_gist(*http, options, arguments[3], folder_of(arguments[4]), make_progress()));
    return keep(fd, arguments[4]);
  }
  if (is("s3-upload", 2)) {
    HF_TRY(S3Options options, s3_options(environment));
    options.replace = environment("HOLDFAST_PROBE_REPLACE").has_value();
    HF_TRY(const S3Place place, parse_s3(arguments[1]));
    return upload_to_s3(*http, options, place, arguments[2], make_progress());
  }
  if (is("s3-download", 2)) {
    HF_TRY(const S3Options options, s3_options(environment));
    HF_TRY(const S3Place place, parse_s3(arguments[1]));
    HF_TRY(const Fd fd, download_from_s3(*http, options, place, folder_of(arguments[2]), make_progress()));
    return keep(fd, arguments[2]);
  }
  return fail(ErrorKind::invalid, "usage: see the top of remote_probe.cpp");
}

}  // namespace

int main(int count, char** values) {
  std::vector<std::string> arguments(values + 1, values + count);
  if (arguments.empty()) arguments.emplace_back();
  const auto done = run(arguments);
  if (done) return 0;
  fmt::print(stderr, "{}: {} ({})\n", done.error().word(), done.error().message, done.error().hint);
  return 1;
}
