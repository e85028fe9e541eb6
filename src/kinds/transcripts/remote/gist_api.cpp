#include "kinds/transcripts/remote/gist_api.h"

#include "base/run/clock.h"
#include "base/text/text.h"
#include "kinds/transcripts/remote/remote.h"
#include "kinds/transcripts/remote/retry.h"
#include "net/run/child.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace holdfast::transcripts {

namespace {

// All files of a gist come inline, each with up to 1 MB, in JSON.
constexpr std::uint64_t kMaxGistAnswer = 400ULL << 20;
// An archive of the original's: 100 MiB before base64, if anybody serves that.
constexpr std::uint64_t kMaxRawBytes = 160ULL << 20;
constexpr std::size_t kMaxMessage = 300;  // of GitHub's own words in an error

std::optional<std::int64_t> number_in(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

// "https://host:port" of an address.
std::string_view origin_of(std::string_view url) {
  const std::size_t host = url.find("://");
  return host == url.npos ? std::string_view() : url.substr(0, url.find_first_of("/?#", host + 3));
}

std::string words_of(const net::HttpAnswer& answer) {
  const auto body = parse_json(answer.body);
  if (!body || !body->is_object()) return {};
  const auto message = find_string(body->get_object(), "message");
  return message ? ": " + shorten(to_valid_utf8(*message), kMaxMessage) : std::string();
}

// When asked too often: until when. Empty when that is not what was wrong.
std::string rate_limit_of(const net::HttpAnswer& answer) {
  if (answer.status != 403 && answer.status != 429) return {};
  if (const auto seconds = number_in(answer.header("retry-after"))) return fmt::format("in {} seconds", *seconds);
  const auto reset = number_in(answer.header("x-ratelimit-reset"));
  if (answer.header("x-ratelimit-remaining") == "0") return reset ? "after " + iso8601(*reset * 1000) : "later";
  return answer.status == 429 ? "later" : std::string();
}

Result<Gist> gist_of(const net::HttpAnswer& answer) {
  const auto parsed = parse_json(answer.body, {.max_depth = 128, .max_bytes = kMaxGistAnswer});
  const JsonObject* object = parsed ? parsed->if_object() : nullptr;
  const auto id = object ? find_string(*object, "id") : std::nullopt;
  if (!id) return fail(ErrorKind::corrupt, "GitHub's answer is not a gist");
  Gist gist;
  gist.id = *id;
  gist.html_url = find_string(*object, "html_url").value_or("");
  gist.git_pull_url = find_string(*object, "git_pull_url").value_or("");
  const JsonObject* files = find_object(*object, "files");
  if (!files) return gist;
  for (const auto& [name, value] : *files) {
    const JsonObject* file = value.if_object();
    if (!file) continue;
    GistFile& entry = gist.files.emplace_back();
    entry.name = std::string_view(name);
    entry.content = find_string(*file, "content").value_or("");
    entry.truncated = find_bool(*file, "truncated").value_or(false);
    entry.raw_url = find_string(*file, "raw_url").value_or("");
    entry.size = static_cast<std::uint64_t>(std::max<std::int64_t>(0, find_int(*file, "size").value_or(0)));
  }
  return gist;
}

}  // namespace

Result<void> check_gist_id(const std::string& id) {
  const auto is_part = [](unsigned char c) { return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z'); };
  if (id.empty() || id.size() > kMaxGistId || !std::ranges::all_of(id, is_part))
    return fail(ErrorKind::invalid, fmt::format("not the id of a gist: \"{}\"", shorten(to_valid_utf8(id), kMaxGistId)),
                "it is the last part of the gist's address");
  return {};
}

const GistFile* Gist::file(std::string_view name) const {
  for (const GistFile& file : files)
    if (file.name == name) return &file;
  return nullptr;
}

GistApi::GistApi(net::HttpClient& http, const GistOptions& options) : http_(http), options_(options), api_(options.api) {
  while (api_.ends_with('/')) api_.pop_back();
}

net::HttpCall GistApi::call(std::string method, std::string path, std::string body, const Moved& moved) const {
  net::HttpCall call;
  call.method = std::move(method);
  call.url = api_ + path;
  call.headers = {{"Accept", "application/vnd.github.v3+json"}, {"X-GitHub-Api-Version", "2022-11-28"}};
  if (!options_.token.empty()) call.headers.emplace_back("Authorization", "Bearer " + options_.token);
  if (!body.empty()) call.headers.emplace_back("Content-Type", "application/json");
  call.body = std::move(body);
  call.max_answer_bytes = kMaxGistAnswer;
  call.progress = moved;
  return call;
}

Result<net::HttpAnswer> GistApi::checked(Result<net::HttpAnswer> answer, std::string_view what) const {
  if (!answer || (answer->status >= 200 && answer->status <= 299)) return answer;
  const std::string words = words_of(*answer);
  if (const std::string when = rate_limit_of(*answer); !when.empty())
    return fail(ErrorKind::unavailable, fmt::format("cannot {}: GitHub has had too many requests{}", what, words),
                fmt::format("try again {}{}", when, options_.token.empty() ? ", or give a token: it allows many more" : ""));
  switch (answer->status) {
    case 401:
    case 403:
      return fail(ErrorKind::unauthorised, fmt::format("cannot {}: GitHub said {}{}", what, answer->status, words),
                  options_.token.empty() ? "give a token: option, GITHUB_TOKEN, or gh auth login"
                                         : "the token must be valid and may need the scope \"gist\"");
    case 404:
      return fail(ErrorKind::not_found, fmt::format("cannot {}: no such gist{}", what, words),
                  "check the id; a gist of somebody else can be read, not changed");
    case 422:
      return fail(ErrorKind::invalid, fmt::format("cannot {}: GitHub does not take it{}", what, words));
    default:
      return fail(ErrorKind::unavailable, fmt::format("cannot {}: GitHub said {}{}", what, answer->status, words),
                  "try again later");
  }
}

Result<Gist> GistApi::read(const std::string& id, const Moved& moved) const {
  HF_TRY(const net::HttpAnswer answer,
         checked(send_with_retries(http_, call("GET", "/gists/" + id, {}, moved)), "read gist " + id));
  return gist_of(answer);
}

Result<Gist> GistApi::create(std::string body, const Moved& moved) const {
  HF_TRY(const net::HttpAnswer answer, checked(http_.send(call("POST", "/gists", std::move(body), moved)), "create a gist"));
  return gist_of(answer);
}

Result<void> GistApi::change(const std::string& id, std::string body, const Moved& moved) const {
  net::HttpCall patch = call("PATCH", "/gists/" + id, std::move(body), moved);
  // The answer repeats every file of the gist: nothing that we have to keep.
  patch.sink = [](std::string_view) -> Result<void> { return {}; };
  HF_CHECK(checked(http_.send(patch), "change gist " + id));
  return {};
}

Result<void> GistApi::remove(const std::string& id) const {
  HF_CHECK(checked(http_.send(call("DELETE", "/gists/" + id, {}, {})), "remove gist " + id));
  return {};
}

Result<std::string> GistApi::read_raw(const std::string& url, std::uint64_t size, const Moved& moved) const {
  net::HttpCall get;
  get.url = url;
  if (!options_.token.empty() && origin_of(url) == origin_of(api_))
    get.headers.emplace_back("Authorization", "Bearer " + options_.token);
  get.max_answer_bytes = size == 0 ? kMaxRawBytes : std::min(size, kMaxRawBytes);
  get.progress = moved;
  HF_TRY(net::HttpAnswer answer, send_with_retries(http_, get));
  if (answer.status == 200) return std::move(answer.body);
  return fail(ErrorKind::refused, fmt::format("the file is not served: status {}", answer.status));
}

namespace {

constexpr std::chrono::seconds kLongestWait{5};  // it may ask a key ring, which may ask a person
constexpr std::size_t kMaxToken = 4096;

// Absence, refusal and nonsense are all the same: there is no token.
std::string ask_gh() {
  net::ChildCall call;
  call.arguments = {"gh", "auth", "token"};
  call.timeout = kLongestWait;
  call.max_output = kMaxToken;
  const auto result = net::run_child(call);
  if (!result || result->exit_code != 0) return {};
  const std::string_view token = trim(result->output);
  for (const char c : token)
    if (c <= ' ' || c > '~') return {};
  return std::string(token);
}

}  // namespace

std::string find_github_token(const std::string& option,
                              const std::function<std::optional<std::string>(const std::string&)>& environment) {
  if (!option.empty()) return option;
  if (const auto token = environment("GITHUB_TOKEN"); token && !trim(*token).empty()) return std::string(trim(*token));
  return ask_gh();
}

}  // namespace holdfast::transcripts
