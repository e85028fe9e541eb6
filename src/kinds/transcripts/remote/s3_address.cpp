#include "kinds/transcripts/remote/s3_address.h"

#include "base/text/text.h"
#include "base/text/uri.h"

#include <fmt/format.h>

#include <algorithm>

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

}  // namespace holdfast::transcripts
