#pragma once

// Asking for tokens: how the client says who it is, and what may come back.

#include "base/crypto/jwt_key.h"
#include "base/run/clock.h"
#include "mcp/oauth/metadata.h"
#include "mcp/oauth/token.h"
#include "mcp/oauth/web.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::mcp::oauth {

// Proofs of possession (RFC 9449): a token that was stolen is of no use without the key.
struct ProofSubject {
  std::string_view method, url;   // of the request
  std::string_view access_token;  // that it presents; empty at the token endpoint
  std::string_view nonce;         // that the server asked for; may be empty
};

// The value of the DPoP header: a new one for each request. Errors: invalid (the URL), internal.
Result<std::string> make_proof(const SigningKey& key, const ProofSubject& subject, Millis now);

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

}  // namespace holdfast::mcp::oauth
