#include "base/crypto/hash.h"
#include "base/crypto/jwt_key.h"

#include <gtest/gtest.h>

namespace holdfast {
namespace {

struct Parts {
  std::string signed_bytes, signature;
};

Parts cut(const std::string& token) {
  const std::size_t dot = token.rfind('.');
  return {token.substr(0, dot), from_base64url(std::string_view(token).substr(dot + 1)).value()};
}

TEST(VerifyingKey, ChecksWhatTheOtherHalfSigned) {
  const SigningKey mine = SigningKey::make().value(), other = SigningKey::make().value();
  const VerifyingKey key = VerifyingKey::from_jwk(mine.public_jwk().value()).value();
  EXPECT_EQ(key.algorithm(), "ES256");
  Parts parts = cut(mine.sign_jwt({}, {{"sub", "ann"}}).value());
  EXPECT_TRUE(key.has_signed(parts.signed_bytes, parts.signature));
  EXPECT_FALSE(key.has_signed(parts.signed_bytes + "x", parts.signature));
  EXPECT_FALSE(key.has_signed(parts.signed_bytes, cut(other.sign_jwt({}, {{"sub", "ann"}}).value()).signature));
  EXPECT_FALSE(key.has_signed(parts.signed_bytes, ""));
  parts.signature[3] ^= 1;
  EXPECT_FALSE(key.has_signed(parts.signed_bytes, parts.signature));
}

// RFC 8032, section 7.1, test 2.
TEST(VerifyingKey, ChecksEdwardsSignatures) {
  const auto bytes = [](std::string_view hex) {
    std::string out;
    for (std::size_t i = 0; i < hex.size(); i += 2)
      out += static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
    return out;
  };
  const std::string x = to_base64url(bytes("3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c"));
  const VerifyingKey key = VerifyingKey::from_jwk({{"kty", "OKP"}, {"crv", "Ed25519"}, {"x", x}}).value();
  EXPECT_EQ(key.algorithm(), "EdDSA");
  const std::string signature = bytes(
      "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612"
      "bb"
      "0c00");
  EXPECT_TRUE(key.has_signed("\x72", signature));
  EXPECT_FALSE(key.has_signed("\x73", signature));
}

TEST(VerifyingKey, RefusesWhatIsNoPublicKeyForSignatures) {
  const JsonObject good = SigningKey::make().value().public_jwk().value();
  const auto changed = [&](std::string_view name, const Json& value) {
    JsonObject jwk = good;
    jwk[name] = value;
    return VerifyingKey::from_jwk(jwk);
  };
  EXPECT_TRUE(changed("use", "sig"));
  EXPECT_TRUE(changed("alg", "ES256"));
  EXPECT_FALSE(changed("use", "enc"));
  EXPECT_FALSE(changed("alg", "HS256"));
  EXPECT_FALSE(changed("alg", "none"));
  EXPECT_FALSE(changed("crv", "P-521"));
  EXPECT_FALSE(changed("d", "AAAA")) << "a private key";
  EXPECT_FALSE(changed("x", Json(to_base64url(std::string(32, '\1'))))) << "not on the curve";
  EXPECT_FALSE(changed("x", "A"));
  EXPECT_FALSE(VerifyingKey::from_jwk({{"kty", "oct"}, {"k", "c2VjcmV0"}}));
  EXPECT_FALSE(VerifyingKey::from_jwk({{"kty", "RSA"}, {"n", to_base64url(std::string(128, '\xff'))}, {"e", "AQAB"}}))
      << "too short";
  EXPECT_FALSE(VerifyingKey::from_jwk(
      {{"kty", "RSA"}, {"n", to_base64url(std::string(200, '\0') + std::string(100, '\xff'))}, {"e", "AQAB"}}));
  EXPECT_FALSE(VerifyingKey::from_jwk({}));
}

}  // namespace
}  // namespace holdfast
