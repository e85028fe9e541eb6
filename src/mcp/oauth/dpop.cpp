#include "mcp/oauth/dpop.h"

#include "base/crypto/hash.h"
#include "base/ids.h"
#include "mcp/oauth/http_url.h"

namespace holdfast::mcp::oauth {

Result<std::string> make_proof(const SigningKey& key, const ProofSubject& subject, Millis now) {
  HF_TRY(HttpUrl url, parse_http_url(subject.url));
  url.query.clear();
  HF_TRY(const JsonObject jwk, key.public_jwk());
  JsonObject claims{{"jti", make_handle()}, {"htm", subject.method}, {"htu", url.text()}, {"iat", now / 1000}};
  if (!subject.access_token.empty()) claims["ath"] = to_base64url(bytes_of(sha256(subject.access_token)));
  if (!subject.nonce.empty()) claims["nonce"] = subject.nonce;
  return key.sign_jwt({{"typ", "dpop+jwt"}, {"jwk", jwk}}, claims);
}

}  // namespace holdfast::mcp::oauth
