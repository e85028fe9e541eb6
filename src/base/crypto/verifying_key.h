#pragma once

// Public keys that check signatures of JSON Web Tokens: the other half of signing_key.h, for keys that others publish (RFC 7517).
//
// Three algorithms: RS256 (2048 to 8192 bits), ES256 (P-256) and EdDSA (Ed25519). A key knows its own; which one a token claims
// in its header is compared with that and decides nothing, so that a public key is never taken for a shared secret and no token
// comes without a signature. Immutable and shared when copied; any thread.

#include "base/json/json.h"

#include <memory>
#include <string>
#include <string_view>

struct evp_pkey_st;

namespace holdfast {

class VerifyingKey {
 public:
  // Errors: invalid (another kind or curve, members missing or broken, a private or shared secret, not for signatures, an `alg`
  // that does not fit the key).
  static Result<VerifyingKey> from_jwk(const JsonObject& jwk);

  std::string_view algorithm() const { return algorithm_; }  // "RS256", "ES256" or "EdDSA"
  // Whether it signed these bytes. The signature as a token carries it, decoded.
  bool has_signed(std::string_view bytes, std::string_view signature) const;

 private:
  VerifyingKey(std::shared_ptr<evp_pkey_st> key, std::string_view algorithm) : key_(std::move(key)), algorithm_(algorithm) {}

  std::shared_ptr<evp_pkey_st> key_;
  std::string_view algorithm_;
};

}  // namespace holdfast
