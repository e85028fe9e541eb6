#pragma once

// Addresses that others name: a server, its metadata, the endpoints and keys of an authorization server. Strict, because secrets
// are sent there, or trust is taken from there.

#include "base/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace holdfast::net {

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

// Where an authorization server publishes what it is (RFC 8414, OpenID Connect discovery), in the order to be tried.
std::vector<std::string> issuer_metadata_urls(const HttpUrl& issuer);

}  // namespace holdfast::net
