#include "base/crypto/hash.h"
#include "base/files/file.h"
#include "base/text/text.h"
#include "base/text/uri.h"
#include "kinds/transcripts/remote/remote.h"
#include "kinds/transcripts/remote/retry.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <vector>

namespace holdfast::transcripts {

namespace {

constexpr std::string_view kScheme = "s3://";
constexpr std::size_t kShortestBucket = 3, kLongestBucket = 63;  // S3's rules
constexpr std::size_t kLongestKey = 1024;
constexpr std::size_t kLongestRegion = 64;

bool is_letter_or_digit(unsigned char c) {
  return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
}
bool is_bucket_part(unsigned char c) {
  return is_letter_or_digit(c) || c == '-' || c == '.' || c == '_';
}
bool is_region_part(unsigned char c) {
  return is_letter_or_digit(c) || c == '-' || c == '_';
}
bool is_control(unsigned char c) {
  return c < 0x20 || c == 0x7f;
}

using Environment = std::function<std::optional<std::string>(const std::string&)>;

std::string first_of(const Environment& environment, std::initializer_list<const char*> names) {
  for (const char* name : names)
    if (auto value = environment(name); value && !value->empty()) return *value;
  return {};
}

}  // namespace

Result<S3Place> parse_s3(std::string_view address) {
  const auto wrong = [&](std::string_view why) {
    return fail(ErrorKind::invalid, fmt::format("{}: {}", shorten(to_valid_utf8(address), 200), why), "write s3://bucket/key");
  };
  if (!address.starts_with(kScheme)) return wrong("not an address in S3");
  const std::string_view rest = address.substr(kScheme.size());
  const std::size_t slash = rest.find('/');
  const std::string_view bucket = rest.substr(0, slash);
  const std::string_view key = slash == rest.npos ? std::string_view() : rest.substr(slash + 1);
  if (bucket.size() < kShortestBucket || bucket.size() > kLongestBucket || !std::ranges::all_of(bucket, is_bucket_part) ||
      !is_letter_or_digit(static_cast<unsigned char>(bucket.front())) || bucket.find("..") != bucket.npos)
    return wrong("no bucket can have that name");
  if (key.empty() || key.ends_with('/')) return wrong("the key is missing or ends in a slash");
  if (key.size() > kLongestKey) return wrong("the key is longer than 1024 bytes");
  if (!is_valid_utf8(key) || std::ranges::any_of(key, is_control)) return wrong("the key is not text");
  return S3Place{std::string(bucket), std::string(key)};
}

Result<S3Options> s3_options(const Environment& environment) {
  S3Options options;
  options.access_key = first_of(environment, {"AWS_ACCESS_KEY_ID"});
  options.secret_key = first_of(environment, {"AWS_SECRET_ACCESS_KEY"});
  options.session_token = first_of(environment, {"AWS_SESSION_TOKEN"});
  if (options.access_key.empty() || options.secret_key.empty())
    return fail(ErrorKind::unauthorised, "no keys for S3", "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY");
  if (std::string region = first_of(environment, {"AWS_REGION", "AWS_DEFAULT_REGION"}); !region.empty())
    options.region = std::move(region);
  // It becomes part of a host's name and of the signature.
  if (options.region.size() > kLongestRegion || !std::ranges::all_of(options.region, is_region_part))
    return fail(ErrorKind::invalid, "no region of S3 has that name: " + shorten(to_valid_utf8(options.region), kLongestRegion),
                "check AWS_REGION");
  options.endpoint = first_of(environment, {"AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"});
  while (options.endpoint.ends_with('/')) options.endpoint.pop_back();
  if (!options.endpoint.empty() && !options.endpoint.starts_with("http://") && !options.endpoint.starts_with("https://"))
    return fail(ErrorKind::invalid, "the endpoint of S3 is not an http or https address", "check AWS_ENDPOINT_URL_S3");
  return options;
}

std::string s3_url(const S3Options& options, const S3Place& place) {
  std::string path;
  for (std::string_view rest = place.key;;) {
    const std::size_t slash = rest.find('/');
    path += '/' + percent_encode(rest.substr(0, slash));
    if (slash == rest.npos) break;
    rest.remove_prefix(slash + 1);
  }
  if (!options.endpoint.empty()) return options.endpoint + '/' + place.bucket + path;
  const char* domain = options.region.starts_with("cn-") ? "amazonaws.com.cn" : "amazonaws.com";
  if (place.bucket.find_first_of("._") != place.bucket.npos)
    return fmt::format("https://s3.{}.{}/{}{}", options.region, domain, place.bucket, path);
  return fmt::format("https://{}.s3.{}.{}{}", place.bucket, options.region, domain, path);
}

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
