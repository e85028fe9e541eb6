#pragma once

// Addresses that peers name: the server, its metadata, the endpoints of an authorization server. Strict, because secrets
// are sent there.

#include "base/result.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace holdfast::mcp::oauth {

struct HttpUrl {
  std::string scheme;  // "http" or "https"
  std::string host;    // lower case; an IPv6 address in its brackets
  std::string port;    // empty: that of the scheme
  std::string path;    // "" or "/..."
  std::string query;   // without the question mark

  std::string origin() const;    // scheme://host[:port]
  std::string text() const;      // all of it
  bool is_this_machine() const;  // localhost or a loopback address
};

// Errors: invalid (another scheme, a user name, a fragment, no host, blanks, control or non-ASCII characters).
Result<HttpUrl> parse_http_url(std::string_view text);

// An address that a peer gave us, while we talk to `server`. Plain http is spoken on this machine only, and only when the
// server is on it: a server elsewhere has no business here. Errors: invalid, refused.
Result<HttpUrl> parse_peer_url(std::string_view text, const HttpUrl& server);

// application/x-www-form-urlencoded, for queries and bodies.
using Fields = std::vector<std::pair<std::string, std::string>>;
std::string write_form(const Fields& fields);
// Errors: invalid (broken escapes).
Result<Fields> read_form(std::string_view text);

}  // namespace holdfast::mcp::oauth
