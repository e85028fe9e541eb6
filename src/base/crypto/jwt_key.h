#pragma once

// Keys of JSON Web Tokens (RFC 7515, compact form). A key is immutable and shared when copied; any thread.

#include "base/json/json.h"

#include <memory>
#include <string>
#include <string_view>

struct evp_pkey_st;

namespace holdfast {

// Private keys that sign: client assertions and proofs of possession. Two algorithms, those that every peer knows: ES256 (P-256)
// and RS256 (2048 bits or more).
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

// Public keys that check signatures of JSON Web Tokens: for keys that others publish (RFC 7517).
//
// Three algorithms: RS256 (2048 to 8192 bits), ES256 (P-256) and EdDSA (Ed25519). A key knows its own; which one a token claims
// in its header is compared with that and decides nothing, so that a public key is never taken for a shared secret and no token
// comes without a signature.
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
