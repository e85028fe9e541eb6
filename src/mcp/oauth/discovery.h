#pragma once

// Finding out who may authorize us for a server: its resource metadata, then the metadata of the authorization server that
// it names. Servers of 2025-03-26 have no resource metadata and are their own authorization server.

#include "mcp/oauth/challenge.h"
#include "mcp/oauth/metadata.h"
#include "mcp/oauth/web.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::mcp::oauth {

struct Discovered {
  std::string resource;             // to be sent as the resource parameter (RFC 8707)
  std::vector<std::string> scopes;  // of the resource metadata
  bool wants_dpop = false;
  ServerMetadata server;
};

// known: whether we are known at an issuer already; of several authorization servers such a one is taken, else the first.
// Errors: those of Web and of metadata.h; refused (metadata of another origin or another issuer), not_found (an authorization
// server without metadata).
Result<Discovered> discover(Web& web, const HttpUrl& server, const std::optional<Challenge>& challenge,
                            const std::function<bool(const std::string& issuer)>& known);

}  // namespace holdfast::mcp::oauth
