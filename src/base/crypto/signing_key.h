#pragma once

// Private keys that sign JSON Web Tokens (RFC 7515, compact form): client assertions and proofs of possession.
//
// Two algorithms, those that every peer knows: ES256 (P-256) and RS256 (2048 bits or more). Nothing here verifies. A key
// is immutable and shared when copied; any thread.

#include "base/json/json.h"

#include <memory>
#include <string>
#include <string_view>

struct evp_pkey_st;

namespace holdfast {

class SigningKey {
 public:
  // PKCS#8 or the older forms, unencrypted. Errors: invalid (not a private key, another kind or curve, too short).
  static Result<SigningKey> from_pem(std::string_view pem);
  // A new one for ES256. Errors: internal.
  static Result<SigningKey> make();

  std::string_view algorithm() const { return algorithm_; }  // "ES256" or "RS256"
  Result<std::string> to_pem() const;                        // PKCS#8: a secret
  // The public half, with the members of a thumbprint (RFC 7638) and no others.
  Result<JsonObject> public_jwk() const;
  // header.claims.signature; alg is added to the header. Errors: internal.
  Result<std::string> sign_jwt(JsonObject header, const JsonObject& claims) const;

 private:
  SigningKey(std::shared_ptr<evp_pkey_st> key, std::string_view algorithm) : key_(std::move(key)), algorithm_(algorithm) {}
  Result<std::string> sign(std::string_view bytes) const;

  std::shared_ptr<evp_pkey_st> key_;
  std::string_view algorithm_;
};

}  // namespace holdfast
