#pragma once

// The authorization request of the code grant, with PKCE (RFC 7636, S256 only), and the judgement of what comes back. No I/O.

#include "mcp/oauth/metadata.h"

#include <string>
#include <string_view>
#include <vector>

namespace holdfast::mcp::oauth {

std::string pkce_challenge(std::string_view verifier);  // S256

struct AuthorizationRequest {
  std::string url;       // to be visited
  std::string state;     // must come back
  std::string verifier;  // goes to the token endpoint only
};

struct AuthorizationAsk {
  std::string client_id, redirect_uri, resource;
  std::vector<std::string> scopes;
};

// Errors: refused (no authorization endpoint, no S256), invalid (its URL).
Result<AuthorizationRequest> make_authorization_request(const ServerMetadata& server, const AuthorizationAsk& ask);

// The code. Errors: refused (a parameter twice, another state, another issuer or none where one was promised: RFC 9207),
// unauthorised (the server or the person said no: `code` is the server's word).
Result<std::string> read_authorization_response(const ServerMetadata& server, const AuthorizationRequest& request,
                                                const Fields& parameters);

}  // namespace holdfast::mcp::oauth
