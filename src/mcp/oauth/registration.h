#pragma once

// Becoming a client of an authorization server: by dynamic registration (RFC 7591), where it offers that.

#include "mcp/oauth/metadata.h"
#include "mcp/oauth/token.h"
#include "mcp/oauth/web.h"

#include <string>
#include <vector>

namespace holdfast::mcp::oauth {

// A native program that authorizes with codes. Errors: those of Web; refused (no way to register, or it said no; with what a
// person can do instead), corrupt.
Result<ClientRegistration> register_client(Web& web, const ServerMetadata& server, const std::string& client_name,
                                           const std::string& redirect_uri, const std::vector<std::string>& scopes);

}  // namespace holdfast::mcp::oauth
