#include "mcp/oauth/token_endpoint.h"

#include "base/crypto/hash.h"
#include "base/ids.h"
#include "base/text/text.h"
#include "base/text/uri.h"
#include "mcp/oauth/challenge.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::mcp::oauth {
namespace {

// Of an assertion: long enough for clocks that differ, too short to be kept.
constexpr Millis kAssertionLife = 120'000;

bool has(const std::vector<std::string>& list, std::string_view item) {
  return std::ranges::find(list, item) != list.end();
}

Result<std::string> client_assertion(const ClientIdentity& client, const ServerMetadata& server, Millis now) {
  const JsonObject claims{{"iss", client.client_id}, {"sub", client.client_id}, {"aud", server.issuer},
                          {"jti", make_handle()},    {"iat", now / 1000},       {"exp", (now + kAssertionLife) / 1000}};
  return client.key->sign_jwt({{"typ", "JWT"}}, claims);
}

Result<void> say_who(const ClientIdentity& client, const ServerMetadata& server, Millis now, Fields& fields, Fields& headers) {
  HF_TRY(const std::string method, choose_auth_method(client, server));
  if (method == "client_secret_basic") {
    // Each half is encoded as in a form first (RFC 6749 §2.3.1).
    headers.emplace_back("Authorization",
                         "Basic " + to_base64(percent_encode(client.client_id) + ':' + percent_encode(client.client_secret)));
    return {};
  }
  fields.emplace_back("client_id", client.client_id);
  if (method == "client_secret_post") fields.emplace_back("client_secret", client.client_secret);
  if (method == "private_key_jwt") {
    HF_TRY(std::string assertion, client_assertion(client, server, now));
    fields.emplace_back("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer");
    fields.emplace_back("client_assertion", std::move(assertion));
  }
  return {};
}

std::string error_word(const WebAnswer& answer) {
  const JsonObject* object = answer.body.if_object();
  return to_valid_utf8(utf8_prefix(object ? find_string(*object, "error").value_or("") : "", 100));
}

Error endpoint_error(const std::string& endpoint, const WebAnswer& answer) {
  const JsonObject* object = answer.body.if_object();
  const std::string word = error_word(answer);
  const std::string said = to_valid_utf8(utf8_prefix(object ? find_string(*object, "error_description").value_or("") : "", 300));
  const ErrorKind kind = answer.status >= 500 ? ErrorKind::unavailable : ErrorKind::unauthorised;
  return make_error(kind,
                    fmt::format("{} gave no token: HTTP status {}{}{}{}{}", endpoint, answer.status, word.empty() ? "" : ", ",
                                word, said.empty() ? "" : ": ", said),
                    {}, word);
}

}  // namespace

Result<std::string> make_proof(const SigningKey& key, const ProofSubject& subject, Millis now) {
  HF_TRY(HttpUrl url, parse_http_url(subject.url));
  url.query.clear();
  HF_TRY(const JsonObject jwk, key.public_jwk());
  JsonObject claims{{"jti", make_handle()}, {"htm", subject.method}, {"htu", url.text()}, {"iat", now / 1000}};
  if (!subject.access_token.empty()) claims["ath"] = to_base64url(bytes_of(sha256(subject.access_token)));
  if (!subject.nonce.empty()) claims["nonce"] = subject.nonce;
  return key.sign_jwt({{"typ", "dpop+jwt"}, {"jwk", jwk}}, claims);
}

Result<std::string> choose_auth_method(const ClientIdentity& client, const ServerMetadata& server) {
  if (!client.auth_method.empty()) return client.auth_method;
  // A server that lists nothing takes client_secret_basic (RFC 8414).
  const auto takes = [&](std::string_view method) { return server.auth_methods.empty() || has(server.auth_methods, method); };
  if (client.key && takes("private_key_jwt")) return "private_key_jwt";
  if (client.client_secret.empty() && !client.key) return "none";
  if (!client.client_secret.empty() && takes("client_secret_basic")) return "client_secret_basic";
  if (!client.client_secret.empty() && takes("client_secret_post")) return "client_secret_post";
  if (has(server.auth_methods, "none")) return "none";
  return fail(ErrorKind::refused, server.issuer + " takes none of the ways in which we can say who we are");
}

Result<Token> request_token(Web& web, const ServerMetadata& server, const ClientIdentity& client, TokenRequest request,
                            Millis now) {
  Fields headers;
  HF_CHECK(say_who(client, server, now, request.fields, headers));
  std::string nonce;
  for (int attempt = 0;; ++attempt) {
    Fields all = headers;
    if (request.dpop) {
      HF_TRY(std::string proof, make_proof(*request.dpop, {"POST", server.token_endpoint, {}, nonce}, now));
      all.emplace_back("DPoP", std::move(proof));
    }
    HF_TRY(WebAnswer answer, web.post_form(server.token_endpoint, request.fields, all));
    const bool wants_nonce = request.dpop && error_word(answer) == "use_dpop_nonce" && !answer.dpop_nonce.empty();
    if (wants_nonce && attempt == 0) {
      nonce = answer.dpop_nonce;
      continue;
    }
    if (answer.status != 200) return fail(endpoint_error(server.token_endpoint, answer));
    HF_TRY(Token token, read_token_answer(answer.body, request.scopes, now));
    if (token.dpop && !request.dpop) return fail(ErrorKind::corrupt, server.token_endpoint + " bound a token to no key of ours");
    if (token.dpop) {
      HF_TRY(token.dpop_key, request.dpop->to_pem());
    }
    return token;
  }
}

}  // namespace holdfast::mcp::oauth
