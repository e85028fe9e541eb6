#include "web/gateway/allowed_hosts.h"

#include "base/text/text.h"

#include <algorithm>

namespace holdfast::web {

namespace {

struct Authority {
  std::string host;  // lower case, IPv6 without brackets
  std::string port;  // empty: none
};

Authority split(std::string_view text) {
  std::size_t colon = text.rfind(':');
  if (text.starts_with('[')) {
    const std::size_t bracket = text.find(']');
    if (bracket == std::string_view::npos) return {};
    std::string_view rest = text.substr(bracket + 1);
    if (!rest.empty() && !rest.starts_with(':')) return {};
    return {to_ascii_lower(text.substr(1, bracket - 1)), std::string(rest.empty() ? rest : rest.substr(1))};
  }
  if (colon == std::string_view::npos) return {to_ascii_lower(text), {}};
  return {to_ascii_lower(text.substr(0, colon)), std::string(text.substr(colon + 1))};
}

bool is_port(std::string_view text) {
  return text.empty() || std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

std::string_view without_brackets(std::string_view host) {
  if (host.starts_with('[') && host.ends_with(']')) return host.substr(1, host.size() - 2);
  return host;
}

}  // namespace

bool is_loopback(std::string_view host) {
  host = without_brackets(host);
  return equal_ignoring_ascii_case(host, "localhost") || host == "127.0.0.1" || host == "::1";
}

AllowedHosts::AllowedHosts(std::string_view bound, std::vector<std::string> names) {
  for (const std::string& name : names) names_.push_back(to_ascii_lower(without_brackets(name)));
  names_.push_back(to_ascii_lower(without_brackets(bound)));
}

bool AllowedHosts::is_ours(std::string_view host) const {
  return is_loopback(host) || std::ranges::find(names_, host) != names_.end();
}

std::string AllowedHosts::host_of(const net::HttpRequest& request) {
  const std::string* header = request.header("Host");
  return header ? split(*header).host : std::string();
}

bool AllowedHosts::host_allowed(const net::HttpRequest& request) const {
  const std::string* header = request.header("Host");
  if (!header) return false;
  const Authority authority = split(*header);
  return !authority.host.empty() && is_port(authority.port) && is_ours(authority.host);
}

bool AllowedHosts::origin_allowed(const net::HttpRequest& request) const {
  const std::string* origin = request.header("Origin");
  if (!origin) return true;
  std::string_view rest = *origin;
  if (rest.starts_with("http://"))
    rest.remove_prefix(7);
  else if (rest.starts_with("https://"))  // a proxy in front of us speaks TLS
    rest.remove_prefix(8);
  else
    return false;
  const std::string* host = request.header("Host");
  if (host && equal_ignoring_ascii_case(rest, *host)) return true;
  const Authority authority = split(rest);
  return is_loopback(authority.host) && authority.port == std::to_string(port_);
}

}  // namespace holdfast::web
