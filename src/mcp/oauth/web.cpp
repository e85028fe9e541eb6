#include "mcp/oauth/web.h"

#include "base/text/uri.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::mcp::oauth {
namespace {

Result<Json> read_document(const std::string& text) {
  JsonLimits limits;
  limits.max_depth = kMaxDocumentDepth;
  return parse_json(text, limits);
}

}  // namespace

std::string write_form(const Fields& fields) {
  std::string text;
  for (const auto& [name, value] : fields) {
    if (!text.empty()) text += '&';
    text += percent_encode(name) + '=' + percent_encode(value);
  }
  return text;
}

Result<Fields> read_form(std::string_view text) {
  Fields fields;
  while (!text.empty()) {
    std::string field(text.substr(0, text.find('&')));
    text.remove_prefix(std::min(text.size(), field.size() + 1));
    if (field.empty()) continue;
    std::ranges::replace(field, '+', ' ');
    const std::size_t equals = field.find('=');
    HF_TRY(std::string name, percent_decode(std::string_view(field).substr(0, equals)));
    HF_TRY(std::string value, percent_decode(equals == field.npos ? "" : std::string_view(field).substr(equals + 1)));
    fields.emplace_back(std::move(name), std::move(value));
  }
  return fields;
}

net::HttpCall Web::call_to(const std::string& url) const {
  net::HttpCall call;
  call.url = url;
  call.headers.emplace_back("Accept", "application/json");
  call.follow_redirects = false;
  call.connect_timeout = kWebTimeout;
  call.stalled_timeout = kWebTimeout;
  call.max_answer_bytes = kMaxDocumentBytes;
  call.progress = [stop = stop_](std::uint64_t, std::uint64_t) { return !stop.stop_requested(); };
  return call;
}

Result<std::optional<Json>> Web::get(const std::string& url) {
  std::string place = url;
  for (int redirects = 0; redirects <= kMaxRedirects; ++redirects) {
    HF_TRY(const net::HttpAnswer answer, client_.send(call_to(place)));
    if (answer.status >= 400 && answer.status < 500) return std::nullopt;
    if (answer.status >= 300 && answer.status < 400) {
      HF_TRY(const HttpUrl here, parse_http_url(place));
      const std::string_view location = answer.header("location");
      const bool relative = location.starts_with('/') && !location.starts_with("//");
      HF_TRY(const HttpUrl next, parse_http_url(relative ? here.origin() + std::string(location) : std::string(location)));
      if (next.origin() != here.origin())
        return fail(ErrorKind::refused, place + " redirects to another origin: " + next.origin());
      place = next.text();
      continue;
    }
    if (answer.status != 200)
      return fail(ErrorKind::unavailable, fmt::format("{} answered with HTTP status {}", place, answer.status));
    auto document = read_document(answer.body);
    if (!document) return fail(ErrorKind::corrupt, place + ": " + document.error().message);
    return *std::move(document);
  }
  return fail(ErrorKind::refused, fmt::format("{} redirects more than {} times", url, kMaxRedirects));
}

Result<WebAnswer> Web::post(net::HttpCall call) {
  call.method = "POST";
  HF_TRY(const net::HttpAnswer answer, client_.send(call));
  auto body = read_document(answer.body);
  return WebAnswer{answer.status, body ? *std::move(body) : Json(), std::string(answer.header("dpop-nonce"))};
}

Result<WebAnswer> Web::post_form(const std::string& url, const Fields& fields, const Fields& headers) {
  net::HttpCall call = call_to(url);
  call.headers.emplace_back("Content-Type", "application/x-www-form-urlencoded");
  call.headers.insert(call.headers.end(), headers.begin(), headers.end());
  call.body = write_form(fields);
  return post(std::move(call));
}

Result<WebAnswer> Web::post_json(const std::string& url, const JsonObject& body) {
  net::HttpCall call = call_to(url);
  call.headers.emplace_back("Content-Type", "application/json");
  call.body = to_json(body);
  return post(std::move(call));
}

}  // namespace holdfast::mcp::oauth
