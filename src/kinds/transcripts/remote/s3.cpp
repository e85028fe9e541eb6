#include "base/crypto/hash.h"
#include "base/files/file.h"
#include "base/text/text.h"
#include "kinds/transcripts/remote/remote.h"
#include "kinds/transcripts/remote/retry.h"
#include "kinds/transcripts/remote/s3_address.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <vector>

namespace holdfast::transcripts {
namespace {

constexpr std::uint64_t kMaxObject = 5ULL << 30;  // what one PUT may bring
constexpr std::size_t kReadStep = 1 << 20;        // while hashing
constexpr std::size_t kMaxWords = 200;            // of S3's own in an error
constexpr int kNotImplemented = 501;
constexpr std::string_view kEmptyHash = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

// <Code>NoSuchKey</Code>: the answers are XML of the plainest kind.
std::string element(std::string_view xml, std::string_view name) {
  const std::string open = fmt::format("<{}>", name), close = fmt::format("</{}>", name);
  const std::size_t begin = xml.find(open);
  const std::size_t end = begin == xml.npos ? begin : xml.find(close, begin);
  if (end == xml.npos) return {};
  return shorten(to_valid_utf8(xml.substr(begin + open.size(), end - begin - open.size())), kMaxWords);
}

Result<void> check_answer(const net::HttpAnswer& answer, const S3Place& place, std::string_view what) {
  if (answer.status >= 200 && answer.status <= 299) return {};
  const std::string code = element(answer.body, "Code"), words = element(answer.body, "Message");
  std::string message = fmt::format("cannot {} s3://{}/{}: S3 said {}", what, place.bucket, place.key, answer.status);
  if (!code.empty()) message += ' ' + code;
  if (!words.empty()) message += ": " + words;
  const bool elsewhere = answer.status >= 300 && answer.status <= 399;
  if (elsewhere || answer.status == 400) {
    std::string region(answer.header("x-amz-bucket-region"));
    if (region.empty()) region = element(answer.body, "Region");
    if (!region.empty())
      return fail(ErrorKind::invalid, std::move(message), "the bucket is in region " + region + ": set AWS_REGION", code);
  }
  if (elsewhere) {
    std::string address = element(answer.body, "Endpoint");
    if (address.empty()) address = shorten(to_valid_utf8(answer.header("location")), kMaxWords);
    return fail(ErrorKind::invalid, std::move(message),
                fmt::format("the bucket is in another region or at another address{}: set AWS_REGION to the bucket's region; for "
                            "another provider than AWS set AWS_ENDPOINT_URL_S3, too",
                            address.empty() ? "" : " (" + address + ")"),
                code);
  }
  switch (answer.status) {
    case 401:
    case 403:
      return fail(ErrorKind::unauthorised, std::move(message), "check the keys, what they allow, the region, and the clock",
                  code);
    case 404:
      return fail(ErrorKind::not_found, std::move(message), {}, code);
    case 409:
    case 412:
      return fail(ErrorKind::conflict, std::move(message), "an object of that key was put there meanwhile; name another key",
                  code);
    case 413:
      return fail(ErrorKind::too_large, std::move(message), {}, code);
    default:
      return fail(answer.status >= 500 || answer.status == 429 ? ErrorKind::unavailable : ErrorKind::invalid, std::move(message),
                  {}, code);
  }
}

net::HttpCall signed_call(const S3Options& options, const S3Place& place, std::string_view method,
                          std::string_view payload_hash) {
  net::HttpCall call;
  call.method = method;
  call.url = s3_url(options, place);
  call.headers = {{"x-amz-content-sha256", std::string(payload_hash)}};
  if (!options.session_token.empty()) call.headers.emplace_back("x-amz-security-token", options.session_token);
  call.signing = {options.access_key, options.secret_key, options.region, "s3"};
  call.follow_redirects = false;
  return call;
}

Result<std::string> hash_of_file(int fd, std::uint64_t size, const Progress& progress) {
  Sha256 hash;
  std::vector<char> buffer(kReadStep);
  for (std::uint64_t done = 0; done < size;) {
    if (progress && !progress("hash", done, size)) return fail(ErrorKind::cancelled, "the upload was stopped");
    const std::size_t room = static_cast<std::size_t>(std::min<std::uint64_t>(buffer.size(), size - done));
    const ssize_t got = ::pread(fd, buffer.data(), room, static_cast<off_t>(done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail(system_error("read", errno));
    if (got == 0) return fail(ErrorKind::conflict, "it became shorter while it was read");
    hash.add({buffer.data(), static_cast<std::size_t>(got)});
    done += static_cast<std::uint64_t>(got);
  }
  return to_hex(hash.digest());
}

// An answer that is neither yes nor no says nothing: what is wrong is said by the upload itself.
Result<void> check_key_is_free(net::HttpClient& http, const S3Options& options, const S3Place& place) {
  const net::HttpCall call = signed_call(options, place, "HEAD", kEmptyHash);
  const auto answer = http.send(call);
  if (!answer || answer->status < 200 || answer->status > 299) return {};
  return fail(ErrorKind::conflict, fmt::format("s3://{}/{} exists already", place.bucket, place.key),
              "name another key, or replace it with {force}");
}

}  // namespace

Result<void> upload_to_s3(net::HttpClient& http, const S3Options& options, const S3Place& place, const std::string& archive_path,
                          const Progress& progress) {
  const Fd file(::open(archive_path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status{};
  if (!file || ::fstat(file.get(), &status) != 0) return fail(system_error(archive_path, errno));
  if (!S_ISREG(status.st_mode)) return fail(ErrorKind::invalid, "not a file: " + archive_path);
  const auto size = static_cast<std::uint64_t>(status.st_size);
  if (size > kMaxObject)
    return fail(ErrorKind::too_large, fmt::format("{}: {} bytes, and S3 takes {} at once", archive_path, size, kMaxObject));
  if (!options.replace) HF_CHECK(check_key_is_free(http, options, place));
  auto hash = hash_of_file(file.get(), size, progress);
  if (!hash) return fail(std::move(hash).error().within(archive_path));

  // The hash is signed, so S3 refuses a body that was damaged on its way.
  net::HttpCall call = signed_call(options, place, "PUT", *hash);
  call.body_fd = file.get();
  call.body_size = size;
  if (progress) call.progress = [&](std::uint64_t sent, std::uint64_t) { return progress("upload", std::min(sent, size), size); };
  // Also when somebody was faster. Not every server of this protocol knows the condition.
  const std::size_t plain_headers = call.headers.size();
  if (!options.replace) call.headers.emplace_back("if-none-match", "*");
  HF_TRY(net::HttpAnswer answer, send_with_retries(http, call));
  if (answer.status == kNotImplemented && !options.replace) {
    call.headers.resize(plain_headers);
    HF_TRY(answer, send_with_retries(http, call));
  }
  return check_answer(answer, place, "write");
}

Result<Fd> download_from_s3(net::HttpClient& http, const S3Options& options, const S3Place& place, const std::string& folder,
                            const Progress& progress) {
  HF_TRY(DownloadFile file, DownloadFile::make(folder));
  net::HttpCall call = signed_call(options, place, "GET", kEmptyHash);
  call.max_answer_bytes = kMaxObject;
  call.sink = [&](std::string_view bytes) { return file.write(bytes); };
  if (progress) call.progress = [&](std::uint64_t, std::uint64_t received) { return progress("download", received, 0); };
  HF_TRY(const net::HttpAnswer answer, send_with_retries(http, call, [&] { return file.start_again(); }));
  HF_CHECK(check_answer(answer, place, "read"));
  return std::move(file).finish();
}

}  // namespace holdfast::transcripts
