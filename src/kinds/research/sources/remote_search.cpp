#include "kinds/research/sources/remote_search.h"

#include "base/text/text.h"
#include "kinds/research/sources/fetch.h"
#include "net/client/http_client.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::research {

namespace {

constexpr std::size_t kMaxFoundTitleCharacters = 300;
constexpr std::size_t kMaxDateBytes = 40;  // any date format

}  // namespace

Result<net::HttpAnswer> send_by(net::HttpCall call, std::chrono::steady_clock::time_point deadline,
                                const std::function<bool()>& cancelled) {
  using std::chrono::steady_clock;
  const auto late = [deadline] { return steady_clock::now() >= deadline; };
  const auto out_of_time = [] { return make_error(ErrorKind::timeout, "the time given for the request is over"); };
  if (cancelled && cancelled()) return fail(ErrorKind::cancelled, "stopped before the request was sent");
  if (late()) return fail(out_of_time());
  HF_TRY(const auto client, net::HttpClient::make());
  if (deadline != steady_clock::time_point::max()) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - steady_clock::now());
    call.connect_timeout = std::clamp(left, std::chrono::milliseconds(1), call.connect_timeout);
  }
  call.progress = [&](std::uint64_t, std::uint64_t) { return !late() && !(cancelled && cancelled()); };
  auto answer = client->send(call);
  if (!answer && answer.error().kind == ErrorKind::cancelled && late()) return fail(out_of_time());
  return answer;
}

RemoteFault fault_of(Error error) {
  const bool passing = error.kind == ErrorKind::unavailable || error.kind == ErrorKind::timeout;
  return {passing ? RemoteFault::Kind::passing : RemoteFault::Kind::final, std::move(error), {}};
}

RemoteFault fault_of(std::string_view name, const net::HttpAnswer& answer) {
  const int status = answer.status;
  const auto retry_after = net::parse_retry_after(answer.header("retry-after"), std::chrono::system_clock::now());
  if (status == 429)
    return {RemoteFault::Kind::rate_limited,
            make_error(ErrorKind::unavailable, fmt::format("{} was asked too often", name), "try again later", "RATE_LIMITED"),
            retry_after};
  if (status >= 500)
    return {RemoteFault::Kind::passing,
            make_error(ErrorKind::unavailable, fmt::format("{} answered with status {}", name, status)), retry_after};
  if (status == 401 || status == 403)
    return {RemoteFault::Kind::final,
            make_error(ErrorKind::unauthorised, fmt::format("{} did not accept the key (status {})", name, status),
                       "check the environment variable that api_key_env names"),
            {}};
  return {RemoteFault::Kind::final, make_error(ErrorKind::refused, fmt::format("{} answered with status {}", name, status)), {}};
}

Result<JsonArray> read_results(std::string_view provider, std::string_view body) {
  auto answer = parse_json(body);
  JsonObject* object = answer ? answer->if_object() : nullptr;
  Json* results = object ? object->if_contains("results") : nullptr;
  if (!results || !results->is_array())
    return fail(ErrorKind::unavailable, fmt::format("{} answered with something that is not a list of results", provider));
  return std::move(results->as_array());
}

std::optional<Found> found_from(const Json& result, std::string_view published_key) {
  const JsonObject* object = result.if_object();
  const auto address = object ? find_string(*object, "url") : std::nullopt;
  const auto url = address ? parse_web_url(*address) : Result<net::HttpUrl>(fail(ErrorKind::invalid, ""));
  if (!url) return {};
  Found found;
  found.uri = url->text();
  found.title = shorten(trim(find_string(*object, "title").value_or("")), kMaxFoundTitleCharacters);
  if (found.title.empty()) found.title = found.uri;
  found.type = "web";
  found.snippet = utf8_prefix(trim(find_string(*object, "content").value_or("")), 8 * kSnippetCharacters);
  const std::string_view published = find_string(*object, published_key).value_or("");
  if (published.size() <= kMaxDateBytes) found.published = published;
  return found;
}

double score_of_rank(std::size_t rank, std::size_t count) {
  return count == 0 ? 0 : static_cast<double>(count - rank) / static_cast<double>(count);
}

Result<std::string> base_url_of(const JsonObject& settings, std::string_view provider, std::string_view fallback) {
  std::string base(find_string(settings, "base_url").value_or(fallback));
  while (base.ends_with('/')) base.pop_back();
  if (base.empty())
    return fail(ErrorKind::invalid, fmt::format("search provider \"{}\" has no base_url", provider),
                "set base_url, for instance \"http://127.0.0.1:8888\"");
  if (const auto url = parse_web_url(base); !url || base.find_first_of("?#") != base.npos)
    return fail(ErrorKind::invalid, fmt::format("base_url of search provider \"{}\" is not an http address", provider));
  return base;
}

}  // namespace holdfast::research
