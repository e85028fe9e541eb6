#include "base/crypto/hash.h"
#include "base/crypto/jwt_key.h"

#include <gtest/gtest.h>
#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

#include <vector>

namespace holdfast {
namespace {

std::string new_key(const char* kind, const char* parameter, int bits) {
  EVP_PKEY* key = bits != 0 ? EVP_PKEY_Q_keygen(nullptr, nullptr, kind, static_cast<std::size_t>(bits))
                            : EVP_PKEY_Q_keygen(nullptr, nullptr, kind, parameter);
  BIO* out = BIO_new(BIO_s_mem());
  PEM_write_bio_PKCS8PrivateKey(out, key, nullptr, nullptr, 0, nullptr, nullptr);
  char* bytes = nullptr;
  const long size = BIO_get_mem_data(out, &bytes);
  std::string pem(bytes, static_cast<std::size_t>(size));
  BIO_free(out);
  EVP_PKEY_free(key);
  return pem;
}

std::vector<std::string> parts_of(const std::string& jwt) {
  std::vector<std::string> parts(1);
  for (const char c : jwt) {
    if (c == '.')
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

// As a peer would: the two halves of ES256 put back into ASN.1.
bool verifies(const std::string& pem, const std::string& jwt) {
  const std::size_t dot = jwt.rfind('.');
  std::string signature = from_base64url(std::string_view(jwt).substr(dot + 1)).value();
  BIO* in = BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size()));
  EVP_PKEY* key = PEM_read_bio_PrivateKey(in, nullptr, nullptr, nullptr);
  BIO_free(in);
  if (EVP_PKEY_is_a(key, "EC")) {
    EXPECT_EQ(signature.size(), 64U);
    const auto* raw = reinterpret_cast<const unsigned char*>(signature.data());
    ECDSA_SIG* pair = ECDSA_SIG_new();
    ECDSA_SIG_set0(pair, BN_bin2bn(raw, 32, nullptr), BN_bin2bn(raw + 32, 32, nullptr));
    unsigned char* der = nullptr;
    const int size = i2d_ECDSA_SIG(pair, &der);
    signature.assign(reinterpret_cast<const char*>(der), static_cast<std::size_t>(size));
    OPENSSL_free(der);
    ECDSA_SIG_free(pair);
  }
  EVP_MD_CTX* context = EVP_MD_CTX_new();
  EVP_DigestVerifyInit(context, nullptr, EVP_sha256(), nullptr, key);
  const bool good = EVP_DigestVerify(context, reinterpret_cast<const unsigned char*>(signature.data()), signature.size(),
                                     reinterpret_cast<const unsigned char*>(jwt.data()), dot) == 1;
  EVP_MD_CTX_free(context);
  EVP_PKEY_free(key);
  return good;
}

TEST(SigningKey, SignsWithBothAlgorithms) {
  for (const std::string& pem : {new_key("EC", "P-256", 0), new_key("RSA", nullptr, 2048)}) {
    const SigningKey key = SigningKey::from_pem(pem).value();
    for (int i = 0; i < 20; ++i) {  // halves that begin with zero bytes come up one in 128 times
      const std::string jwt = key.sign_jwt({{"typ", "JWT"}}, {{"iss", "me"}, {"n", i}}).value();
      EXPECT_TRUE(verifies(pem, jwt));
      const auto parts = parts_of(jwt);
      ASSERT_EQ(parts.size(), 3U);
      const Json header = parse_json(from_base64url(parts[0]).value()).value();
      EXPECT_EQ(header.at("alg").as_string(), key.algorithm());
      EXPECT_EQ(header.at("typ").as_string(), "JWT");
      EXPECT_EQ(parse_json(from_base64url(parts[1]).value()).value().at("n").as_int64(), i);
    }
  }
}

TEST(SigningKey, AKeyWeMadeCanBeKept) {
  const SigningKey made = SigningKey::make().value();
  const std::string pem = made.to_pem().value();
  const SigningKey kept = SigningKey::from_pem(pem).value();
  EXPECT_EQ(kept.algorithm(), "ES256");
  EXPECT_EQ(kept.public_jwk().value(), made.public_jwk().value());
  EXPECT_TRUE(verifies(pem, made.sign_jwt({}, {}).value()));
  EXPECT_NE(SigningKey::make().value().to_pem().value(), pem);
}

TEST(SigningKey, ThePublicHalfHasNothingPrivate) {
  const JsonObject ec = SigningKey::make().value().public_jwk().value();
  EXPECT_EQ(ec.size(), 4U);
  EXPECT_EQ(ec.at("kty").as_string(), "EC");
  EXPECT_EQ(from_base64url(view(ec.at("x").as_string())).value().size(), 32U);
  EXPECT_FALSE(ec.contains("d"));
  const JsonObject rsa = SigningKey::from_pem(new_key("RSA", nullptr, 2048)).value().public_jwk().value();
  EXPECT_EQ(rsa.at("e").as_string(), "AQAB");
  EXPECT_EQ(from_base64url(view(rsa.at("n").as_string())).value().size(), 256U);
}

TEST(SigningKey, RefusesWhatItCannotSignWith) {
  EXPECT_EQ(SigningKey::from_pem("").error().kind, ErrorKind::invalid);
  EXPECT_EQ(SigningKey::from_pem("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n").error().kind,
            ErrorKind::invalid);
  EXPECT_EQ(SigningKey::from_pem(new_key("EC", "P-384", 0)).error().kind, ErrorKind::invalid);
  EXPECT_EQ(SigningKey::from_pem(new_key("RSA", nullptr, 1024)).error().kind, ErrorKind::invalid);
}

}  // namespace
}  // namespace holdfast
