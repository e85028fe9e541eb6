#pragma once

// Asking for tokens: how the client says who it is, and what may come back.

#include "base/crypto/signing_key.h"
#include "mcp/oauth/metadata.h"
#include "mcp/oauth/token.h"
#include "mcp/oauth/web.h"

#include <optional>
#include <string>
#include <vector>

namespace holdfast::mcp::oauth {

// Who we are at one issuer.
struct ClientIdentity {
  std::string client_id;
  std::string client_secret;      // empty: none
  std::optional<SigningKey> key;  // for private_key_jwt
  std::string auth_method;        // empty: the best that both sides can do
};

// Errors: refused (what we have fits nothing that the server takes).
Result<std::string> choose_auth_method(const ClientIdentity& client, const ServerMetadata& server);

struct TokenRequest {
  Fields fields;                    // grant_type and what belongs to it
  std::vector<std::string> scopes;  // asked for
  std::optional<SigningKey> dpop;   // binds the token to this key
};

// One request, or two where the server wants to see a nonce of its own in the proof. The token has what the endpoint said;
// dpop_key is filled in. Errors: those of Web; unauthorised (the endpoint said no: `code` is its word, "invalid_grant" and the
// like), corrupt.
Result<Token> request_token(Web& web, const ServerMetadata& server, const ClientIdentity& client, TokenRequest request,
                            Millis now);

// RFC 8693: a token of one kind for one of another, at somebody else's endpoint. Gives what it calls access_token.
Result<std::string> exchange_token(Web& web, const std::string& endpoint, const Fields& fields);

}  // namespace holdfast::mcp::oauth
