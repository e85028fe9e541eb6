#pragma once

// The two documents that authorization begins with: what the server says of itself (RFC 9728), and what its authorization
// server says (RFC 8414, or OpenID Connect discovery). Reading and judging; no I/O.

#include "base/json/json.h"
#include "mcp/oauth/web.h"

#include <string>
#include <string_view>
#include <vector>

namespace holdfast::mcp::oauth {

struct ResourceMetadata {
  std::string resource;  // exactly as published: it is sent like that
  std::vector<std::string> authorization_servers;
  std::vector<std::string> scopes;
  bool wants_dpop = false;
};

struct ServerMetadata {
  std::string issuer;
  std::string authorization_endpoint, token_endpoint, registration_endpoint;  // empty: has none
  std::vector<std::string> scopes, grants, auth_methods, challenge_methods, dpop_algorithms;
  bool returns_issuer = false;       // RFC 9207
  bool takes_metadata_urls = false;  // client id metadata documents

  bool offers_grant(std::string_view grant) const;  // lists it, or nothing
};

// Whether a token for this resource is meant for the server: it is the resource itself, or below it on the same origin (servers
// with one document at their root publish that).
bool covers(const HttpUrl& resource, const HttpUrl& server);

// In the order to be tried.
std::vector<std::string> resource_metadata_urls(const HttpUrl& server);

// Errors: corrupt (required members), refused (it speaks of another resource, names no authorization server).
Result<ResourceMetadata> read_resource_metadata(const Json& document, const HttpUrl& server);
// Errors: corrupt (required members), refused (endpoints that parse_peer_url refuses). Whose issuer it must be is for the
// caller to compare.
Result<ServerMetadata> read_server_metadata(const Json& document, const HttpUrl& server);
// The endpoints of 2025-03-26 servers without any document: /authorize, /token, /register.
ServerMetadata default_server_metadata(const HttpUrl& server);

}  // namespace holdfast::mcp::oauth
