#include "kinds/research/sources/web_url.h"

#include "base/text/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace holdfast::research {
namespace {

constexpr std::size_t kMaxUrlBytes = 8192;  // servers take no more

Error bad_url(std::string_view url, std::string_view why) {
  return make_error(ErrorKind::invalid, fmt::format("{}: {}", why, utf8_prefix(to_valid_utf8(url), 200)));
}

std::string_view port_of_scheme(std::string_view scheme) {
  return scheme == "https" ? "443" : "80";
}

bool is_plain(char c) {
  return c > ' ' && c < 0x7F && std::string_view("\"<>\\^`{|}").find(c) == std::string_view::npos;
}

bool is_port(std::string_view port) {
  unsigned number = 0;
  const auto [end, problem] = std::from_chars(port.data(), port.data() + port.size(), number);
  return problem == std::errc() && end == port.data() + port.size() && number >= 1 && number <= 65535;
}

// "." and ".." out of a path, as a browser does.
std::string without_dots(std::string_view target) {
  const std::string_view query = target.substr(std::min(target.find('?'), target.size()));
  std::string_view path = target.substr(0, target.size() - query.size());
  std::string out;
  while (!path.empty()) {
    const std::size_t slash = path.find('/', 1);
    const std::string_view name = path.substr(0, slash);
    path.remove_prefix(std::min(slash, path.size()));
    if (name == "/..") out.resize(out.rfind('/') == out.npos ? 0 : out.rfind('/'));
    if (name != "/." && name != "/..")
      out += name;
    else if (path.empty())
      out += '/';
  }
  return (out.empty() ? "/" : out) + std::string(query);
}

}  // namespace

std::string WebUrl::text() const {
  std::string made = scheme + "://" + (host.find(':') != host.npos ? '[' + host + ']' : host);
  if (port != port_of_scheme(scheme)) made += ':' + port;
  return made + target;
}

Result<WebUrl> parse_web_url(std::string_view url) {
  if (url.size() > kMaxUrlBytes) return fail(bad_url(url, "too long an address"));
  if (!std::ranges::all_of(url, is_plain)) return fail(bad_url(url, "an address with signs that must be percent-encoded"));
  const std::size_t colon = url.find("://");
  WebUrl made;
  made.scheme = to_ascii_lower(url.substr(0, std::min(colon, std::size_t{8})));
  if (colon == url.npos || (made.scheme != "http" && made.scheme != "https"))
    return fail(bad_url(url, "not an http or https address"));
  url.remove_prefix(colon + 3);
  url = url.substr(0, url.find('#'));
  std::string_view authority = url.substr(0, url.find_first_of("/?"));
  const std::string_view rest = url.substr(authority.size());
  if (authority.find('@') != authority.npos) return fail(bad_url(authority, "an address with a user name"));

  const std::size_t bracket = authority.starts_with('[') ? authority.find(']') : 0;
  if (bracket == authority.npos) return fail(bad_url(authority, "not a host"));
  const std::size_t port = authority.find(':', bracket);
  made.port = port == authority.npos || port + 1 == authority.size() ? port_of_scheme(made.scheme) : authority.substr(port + 1);
  authority = authority.substr(0, port);
  if (bracket != 0) {
    if (authority.size() != bracket + 1) return fail(bad_url(authority, "not a host"));
    authority = authority.substr(1, bracket - 1);
  }
  made.host = to_ascii_lower(authority);
  if (made.host.empty() || made.host.find_first_of("[]%") != made.host.npos) return fail(bad_url(authority, "not a host"));
  if (!is_port(made.port)) return fail(bad_url(made.port, "not a port"));
  made.target = without_dots(rest.starts_with('/') ? std::string(rest) : '/' + std::string(rest));
  return made;
}

Result<WebUrl> resolve_web_url(const WebUrl& base, std::string_view location) {
  location = location.substr(0, location.find('#'));
  if (location.empty()) return base;
  const std::size_t colon = location.find(':');
  if (colon != location.npos && colon < location.find_first_of("/?")) return parse_web_url(location);
  if (location.starts_with("//")) return parse_web_url(base.scheme + ':' + std::string(location));
  WebUrl root = base;
  root.target = "/";
  std::string origin = root.text();
  origin.pop_back();
  if (location.starts_with('/')) return parse_web_url(origin + std::string(location));
  const std::string_view path = std::string_view(base.target).substr(0, base.target.find('?'));
  if (location.starts_with('?')) return parse_web_url(origin + std::string(path) + std::string(location));
  return parse_web_url(origin + std::string(path.substr(0, path.rfind('/') + 1)) + std::string(location));
}

}  // namespace holdfast::research
