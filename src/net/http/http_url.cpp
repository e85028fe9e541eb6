#include "net/http/http_url.h"

#include "base/text/text.h"

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>

namespace holdfast::net {
namespace {

std::unexpected<Error> not_a_url(std::string_view text, const char* why) {
  return fail(ErrorKind::invalid, "\"" + std::string(utf8_prefix(to_valid_utf8(text), 200)) + "\" is not a usable URL: " + why);
}

bool is_host(std::string_view host) {
  if (host.starts_with('[')) {
    in6_addr ignored;
    return host.ends_with(']') && inet_pton(AF_INET6, std::string(host.substr(1, host.size() - 2)).c_str(), &ignored) == 1;
  }
  return !host.empty() && std::ranges::all_of(host, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_';
  });
}

bool is_port(std::string_view port) {
  unsigned number = 0;
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), number);
  return error == std::errc() && end == port.data() + port.size() && number > 0 && number < 65536;
}

}  // namespace

std::string HttpUrl::origin() const {
  return scheme + "://" + host + (port.empty() ? "" : ":" + port);
}

std::string HttpUrl::text() const {
  return origin() + path + (query.empty() ? "" : "?" + query);
}

bool HttpUrl::is_this_machine() const {
  if (host == "localhost" || host == "[::1]") return true;
  in_addr address;
  return inet_pton(AF_INET, host.c_str(), &address) == 1 && (ntohl(address.s_addr) >> 24) == 127;
}

Result<HttpUrl> parse_http_url(std::string_view text) {
  if (!std::ranges::all_of(text, [](char c) { return c > 0x20 && c < 0x7F && c != '\\'; }))
    return not_a_url(text, "it has characters that no URL has");
  if (text.find('#') != text.npos) return not_a_url(text, "it has a fragment");
  HttpUrl url;
  const std::size_t colon = text.find("://");
  if (colon == text.npos) return not_a_url(text, "it has no scheme");
  url.scheme = to_ascii_lower(text.substr(0, colon));
  if (url.scheme != "http" && url.scheme != "https") return not_a_url(text, "only http and https are spoken");
  std::string_view rest = text.substr(colon + 3);
  std::string_view authority = rest.substr(0, rest.find_first_of("/?"));
  rest.remove_prefix(authority.size());
  if (authority.find('@') != authority.npos) return not_a_url("(hidden)", "it has a user name");
  const std::size_t port_colon = authority.rfind(':');
  if (port_colon != authority.npos && authority.find(']', port_colon) == authority.npos) {
    url.port = authority.substr(port_colon + 1);
    authority = authority.substr(0, port_colon);
    if (!is_port(url.port)) return not_a_url(text, "its port is none");
    if (url.port == (url.scheme == "https" ? "443" : "80")) url.port.clear();
  }
  url.host = to_ascii_lower(authority);
  if (!is_host(url.host)) return not_a_url(text, "its host is none");
  const std::size_t question = rest.find('?');
  url.path = rest.substr(0, question);
  if (question != rest.npos) url.query = rest.substr(question + 1);
  return url;
}

Result<HttpUrl> parse_peer_url(std::string_view text, const HttpUrl& server) {
  HF_TRY(HttpUrl url, parse_http_url(text));
  if (url.scheme == "https" || (url.is_this_machine() && server.is_this_machine())) return url;
  return fail(ErrorKind::refused, url.origin() + " was named for authorization, but is not https",
              "secrets are sent over plain http on this machine only");
}

std::vector<std::string> issuer_metadata_urls(const HttpUrl& issuer) {
  const std::string origin = issuer.origin(), place = origin + "/.well-known/";
  std::string path = issuer.path;
  while (path.ends_with('/')) path.pop_back();
  if (path.empty()) return {place + "oauth-authorization-server", place + "openid-configuration"};
  return {place + "oauth-authorization-server" + path, place + "openid-configuration" + path,
          origin + path + "/.well-known/openid-configuration"};
}

}  // namespace holdfast::net
