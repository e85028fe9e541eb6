#pragma once

// Proofs of possession (RFC 9449): a token that was stolen is of no use without the key.

#include "base/crypto/signing_key.h"
#include "base/run/clock.h"

#include <string>
#include <string_view>

namespace holdfast::mcp::oauth {

struct ProofSubject {
  std::string_view method, url;   // of the request
  std::string_view access_token;  // that it presents; empty at the token endpoint
  std::string_view nonce;         // that the server asked for; may be empty
};

// The value of the DPoP header: a new one for each request. Errors: invalid (the URL), internal.
Result<std::string> make_proof(const SigningKey& key, const ProofSubject& subject, Millis now);

}  // namespace holdfast::mcp::oauth
