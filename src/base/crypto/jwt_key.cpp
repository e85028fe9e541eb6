#include "base/crypto/jwt_key.h"

#include "base/crypto/hash.h"
#include "base/run/freeing.h"

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <openssl/pem.h>

#include <array>

namespace holdfast {

namespace {

// Shorter ones are refused by RFC 7518, and can be factored by those with patience.
constexpr int kMinRsaBits = 2048;
// A coordinate of P-256, each half of a signature with it, and an Ed25519 key.
constexpr int kCoordinateBytes = 32;

using Bio = std::unique_ptr<BIO, Freeing<BIO_free_all>>;
using Number = std::unique_ptr<BIGNUM, Freeing<BN_free>>;
using DigestContext = std::unique_ptr<EVP_MD_CTX, Freeing<EVP_MD_CTX_free>>;
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
  std::string both(2 * kCoordinateBytes, '\0');
  auto* out = reinterpret_cast<unsigned char*>(both.data());
  if (!signature || BN_bn2binpad(ECDSA_SIG_get0_r(signature.get()), out, kCoordinateBytes) < 0 ||
      BN_bn2binpad(ECDSA_SIG_get0_s(signature.get()), out + kCoordinateBytes, kCoordinateBytes) < 0)
    return failed("signing");
  return both;
}

// There is no terminal to ask for a passphrase on, and OpenSSL would.
int no_passphrase(char*, int, int, void*) {
  return -1;
}

constexpr std::size_t kMinRsaBytes = 256,
                      kMaxRsaBytes = 1024;  // a longer one only costs time, which is what a hostile issuer wants
constexpr std::size_t kMaxExponentBytes = 8;
constexpr char kUncompressed = 4;  // how a point of a curve begins that is given by both coordinates

using Builder = std::unique_ptr<OSSL_PARAM_BLD, Freeing<OSSL_PARAM_BLD_free>>;
using Params = std::unique_ptr<OSSL_PARAM, Freeing<OSSL_PARAM_free>>;
using KeyContext = std::unique_ptr<EVP_PKEY_CTX, Freeing<EVP_PKEY_CTX_free>>;
using Key = std::shared_ptr<EVP_PKEY>;

std::unexpected<Error> unusable(const char* why) {
  return fail(ErrorKind::invalid, std::string("this key cannot check signatures: ") + why);
}

const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

Result<std::string> member(const JsonObject& jwk, std::string_view name, std::size_t least, std::size_t most) {
  auto bytes = from_base64url(find_string(jwk, name).value_or(""));
  if (!bytes || bytes->size() < least || bytes->size() > most) return unusable("a member is missing, or of the wrong size");
  return bytes;
}

Key made_of(const char* kind, OSSL_PARAM_BLD* builder) {
  const Params params(OSSL_PARAM_BLD_to_param(builder));
  const KeyContext context(EVP_PKEY_CTX_new_from_name(nullptr, kind, nullptr));
  EVP_PKEY* raw = nullptr;
  if (!params || !context || EVP_PKEY_fromdata_init(context.get()) != 1 ||
      EVP_PKEY_fromdata(context.get(), &raw, EVP_PKEY_PUBLIC_KEY, params.get()) != 1)
    return nullptr;
  return Key(raw, EVP_PKEY_free);
}

Result<Key> rsa_key(const JsonObject& jwk) {
  HF_TRY(const std::string modulus, member(jwk, "n", kMinRsaBytes, kMaxRsaBytes));
  HF_TRY(const std::string exponent, member(jwk, "e", 1, kMaxExponentBytes));
  const Number n(BN_bin2bn(bytes_of(modulus), static_cast<int>(modulus.size()), nullptr));
  const Number e(BN_bin2bn(bytes_of(exponent), static_cast<int>(exponent.size()), nullptr));
  const Builder builder(OSSL_PARAM_BLD_new());
  if (!n || !e || !builder || OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_RSA_N, n.get()) != 1 ||
      OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_RSA_E, e.get()) != 1)
    return unusable("no memory");
  Key key = made_of("RSA", builder.get());
  // Leading zero bytes do not make a modulus long.
  if (!key || EVP_PKEY_get_bits(key.get()) < static_cast<int>(kMinRsaBytes * 8)) return unusable("it is too short");
  return key;
}

Result<Key> ec_key(const JsonObject& jwk) {
  if (find_string(jwk, "crv") != "P-256") return unusable("of elliptic curves P-256 is known here");
  HF_TRY(const std::string x, member(jwk, "x", kCoordinateBytes, kCoordinateBytes));
  HF_TRY(const std::string y, member(jwk, "y", kCoordinateBytes, kCoordinateBytes));
  const std::string point = kUncompressed + x + y;
  const Builder builder(OSSL_PARAM_BLD_new());
  if (!builder || OSSL_PARAM_BLD_push_utf8_string(builder.get(), OSSL_PKEY_PARAM_GROUP_NAME, "prime256v1", 0) != 1 ||
      OSSL_PARAM_BLD_push_octet_string(builder.get(), OSSL_PKEY_PARAM_PUB_KEY, point.data(), point.size()) != 1)
    return unusable("no memory");
  Key key = made_of("EC", builder.get());
  if (!key) return unusable("its point is not on the curve");
  return key;
}

Result<Key> edwards_key(const JsonObject& jwk) {
  if (find_string(jwk, "crv") != "Ed25519") return unusable("of Edwards curves Ed25519 is known here");
  HF_TRY(const std::string x, member(jwk, "x", kCoordinateBytes, kCoordinateBytes));
  Key key(EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nullptr, bytes_of(x), x.size()), EVP_PKEY_free);
  if (!key) return unusable("it is broken");
  return key;
}

// A token has the two numbers side by side; OpenSSL wants ASN.1.
Result<std::string> to_der(std::string_view joined) {
  if (joined.size() != 2 * kCoordinateBytes) return unusable("the signature has the wrong size");
  const Signature signature(ECDSA_SIG_new());
  Number r(BN_bin2bn(bytes_of(joined), kCoordinateBytes, nullptr));
  Number s(BN_bin2bn(bytes_of(joined) + kCoordinateBytes, kCoordinateBytes, nullptr));
  if (!signature || !r || !s || ECDSA_SIG_set0(signature.get(), r.get(), s.get()) != 1) return unusable("no memory");
  r.release();
  s.release();
  unsigned char* raw = nullptr;
  const int size = i2d_ECDSA_SIG(signature.get(), &raw);
  if (size <= 0) return unusable("no memory");
  std::string der(reinterpret_cast<char*>(raw), static_cast<std::size_t>(size));
  OPENSSL_free(raw);
  return der;
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
  HF_TRY(const std::string x, number_of(key_.get(), OSSL_PKEY_PARAM_EC_PUB_X, kCoordinateBytes));
  HF_TRY(const std::string y, number_of(key_.get(), OSSL_PKEY_PARAM_EC_PUB_Y, kCoordinateBytes));
  return JsonObject{{"crv", "P-256"}, {"kty", "EC"}, {"x", x}, {"y", y}};
}

Result<std::string> SigningKey::sign(std::string_view bytes) const {
  const DigestContext context(EVP_MD_CTX_new());
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

Result<VerifyingKey> VerifyingKey::from_jwk(const JsonObject& jwk) {
  for (const char* secret : {"d", "k"})
    if (jwk.contains(secret)) return unusable("it is a secret, which nobody should publish");
  if (const auto use = find_string(jwk, "use"); use && *use != "sig") return unusable("it is not for signatures");
  const std::string_view type = find_string(jwk, "kty").value_or("");
  std::string_view algorithm;
  Result<Key> key = unusable("its kind is not known here");
  if (type == "RSA") {
    algorithm = "RS256";
    key = rsa_key(jwk);
  } else if (type == "EC") {
    algorithm = "ES256";
    key = ec_key(jwk);
  } else if (type == "OKP") {
    algorithm = "EdDSA";
    key = edwards_key(jwk);
  }
  if (!key) return fail(std::move(key).error());
  if (const auto named = find_string(jwk, "alg"); named && *named != algorithm) return unusable("it is for another algorithm");
  return VerifyingKey(*std::move(key), algorithm);
}

bool VerifyingKey::has_signed(std::string_view bytes, std::string_view signature) const {
  std::string der;
  if (algorithm_ == "ES256") {
    auto converted = to_der(signature);
    if (!converted) return false;
    signature = der = *std::move(converted);
  }
  const DigestContext context(EVP_MD_CTX_new());
  const EVP_MD* digest = algorithm_ == "EdDSA" ? nullptr : EVP_sha256();
  return context && EVP_DigestVerifyInit(context.get(), nullptr, digest, nullptr, key_.get()) == 1 &&
         EVP_DigestVerify(context.get(), bytes_of(signature), signature.size(), bytes_of(bytes), bytes.size()) == 1;
}

}  // namespace holdfast
