#include "base/crypto/signing_key.h"

#include "base/crypto/hash.h"
#include "base/run/freeing.h"

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

#include <array>

namespace holdfast {
namespace {

// Shorter ones are refused by RFC 7518, and can be factored by those with patience.
constexpr int kMinRsaBits = 2048;
// A coordinate of P-256, and each half of a signature with it.
constexpr int kP256Bytes = 32;

using Bio = std::unique_ptr<BIO, Freeing<BIO_free_all>>;
using Number = std::unique_ptr<BIGNUM, Freeing<BN_free>>;
using Context = std::unique_ptr<EVP_MD_CTX, Freeing<EVP_MD_CTX_free>>;
using Signature = std::unique_ptr<ECDSA_SIG, Freeing<ECDSA_SIG_free>>;

std::unexpected<Error> failed(const char* what) {
  return fail(ErrorKind::internal, std::string("the cryptographic library failed: ") + what);
}

std::string_view algorithm_of(EVP_PKEY* key) {
  if (EVP_PKEY_is_a(key, "RSA")) return EVP_PKEY_get_bits(key) >= kMinRsaBits ? "RS256" : "";
  std::array<char, 64> group{};
  std::size_t length = 0;
  const bool named = EVP_PKEY_is_a(key, "EC") &&
                     EVP_PKEY_get_utf8_string_param(key, OSSL_PKEY_PARAM_GROUP_NAME, group.data(), group.size(), &length) == 1;
  return named && std::string_view(group.data(), length) == "prime256v1" ? "ES256" : "";
}

// width 0: as few bytes as it needs.
Result<std::string> number_of(EVP_PKEY* key, const char* name, int width) {
  BIGNUM* raw = nullptr;
  if (EVP_PKEY_get_bn_param(key, name, &raw) != 1) return failed("reading a public key");
  const Number number(raw);
  std::string bytes(static_cast<std::size_t>(width == 0 ? BN_num_bytes(number.get()) : width), '\0');
  if (BN_bn2binpad(number.get(), reinterpret_cast<unsigned char*>(bytes.data()), static_cast<int>(bytes.size())) < 0)
    return failed("reading a public key");
  return to_base64url(bytes);
}

// What OpenSSL writes is ASN.1; a JWT has the two numbers side by side.
Result<std::string> joined(std::string_view der) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(der.data());
  const Signature signature(d2i_ECDSA_SIG(nullptr, &bytes, static_cast<long>(der.size())));
  std::string both(2 * kP256Bytes, '\0');
  auto* out = reinterpret_cast<unsigned char*>(both.data());
  if (!signature || BN_bn2binpad(ECDSA_SIG_get0_r(signature.get()), out, kP256Bytes) < 0 ||
      BN_bn2binpad(ECDSA_SIG_get0_s(signature.get()), out + kP256Bytes, kP256Bytes) < 0)
    return failed("signing");
  return both;
}

// There is no terminal to ask for a passphrase on, and OpenSSL would.
int no_passphrase(char*, int, int, void*) {
  return -1;
}

}  // namespace

Result<SigningKey> SigningKey::from_pem(std::string_view pem) {
  const Bio source(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  if (!source) return failed("no memory");
  std::shared_ptr<EVP_PKEY> key(PEM_read_bio_PrivateKey(source.get(), nullptr, no_passphrase, nullptr), EVP_PKEY_free);
  if (!key) return fail(ErrorKind::invalid, "this is not a private key in PEM form without a passphrase");
  const std::string_view algorithm = algorithm_of(key.get());
  if (algorithm.empty())
    return fail(ErrorKind::invalid, "this private key is of a kind that we do not sign with",
                "use one for ES256 (P-256) or RS256 (RSA of 2048 bits or more)");
  return SigningKey(std::move(key), algorithm);
}

Result<SigningKey> SigningKey::make() {
  std::shared_ptr<EVP_PKEY> key(EVP_EC_gen("prime256v1"), EVP_PKEY_free);
  if (!key) return failed("making a key");
  return SigningKey(std::move(key), "ES256");
}

Result<std::string> SigningKey::to_pem() const {
  const Bio target(BIO_new(BIO_s_mem()));
  if (!target || PEM_write_bio_PKCS8PrivateKey(target.get(), key_.get(), nullptr, nullptr, 0, nullptr, nullptr) != 1)
    return failed("writing a key");
  char* bytes = nullptr;
  const long size = BIO_get_mem_data(target.get(), &bytes);
  return std::string(bytes, static_cast<std::size_t>(size));
}

Result<JsonObject> SigningKey::public_jwk() const {
  if (algorithm_ == "RS256") {
    HF_TRY(const std::string exponent, number_of(key_.get(), OSSL_PKEY_PARAM_RSA_E, 0));
    HF_TRY(const std::string modulus, number_of(key_.get(), OSSL_PKEY_PARAM_RSA_N, 0));
    return JsonObject{{"e", exponent}, {"kty", "RSA"}, {"n", modulus}};
  }
  HF_TRY(const std::string x, number_of(key_.get(), OSSL_PKEY_PARAM_EC_PUB_X, kP256Bytes));
  HF_TRY(const std::string y, number_of(key_.get(), OSSL_PKEY_PARAM_EC_PUB_Y, kP256Bytes));
  return JsonObject{{"crv", "P-256"}, {"kty", "EC"}, {"x", x}, {"y", y}};
}

Result<std::string> SigningKey::sign(std::string_view bytes) const {
  const Context context(EVP_MD_CTX_new());
  const auto* data = reinterpret_cast<const unsigned char*>(bytes.data());
  std::size_t size = 0;
  if (!context || EVP_DigestSignInit(context.get(), nullptr, EVP_sha256(), nullptr, key_.get()) != 1 ||
      EVP_DigestSign(context.get(), nullptr, &size, data, bytes.size()) != 1)
    return failed("signing");
  std::string signature(size, '\0');
  if (EVP_DigestSign(context.get(), reinterpret_cast<unsigned char*>(signature.data()), &size, data, bytes.size()) != 1)
    return failed("signing");
  signature.resize(size);
  if (algorithm_ == "ES256") return joined(signature);
  return signature;
}

Result<std::string> SigningKey::sign_jwt(JsonObject header, const JsonObject& claims) const {
  header["alg"] = algorithm_;
  std::string text = to_base64url(to_json(header)) + '.' + to_base64url(to_json(claims));
  HF_TRY(const std::string signature, sign(text));
  return text + '.' + to_base64url(signature);
}

}  // namespace holdfast
