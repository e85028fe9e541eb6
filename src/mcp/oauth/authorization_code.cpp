#include "mcp/oauth/authorization_code.h"

#include "base/crypto/hash.h"
#include "base/text/text.h"
#include "mcp/oauth/challenge.h"

#include <algorithm>
#include <optional>

namespace holdfast::mcp::oauth {
namespace {

constexpr std::size_t kSecretBytes = 32;  // 43 characters, the least that RFC 7636 allows and more than anybody guesses

Result<std::optional<std::string>> single(const Fields& parameters, std::string_view name) {
  std::optional<std::string> value;
  for (const auto& [key, text] : parameters) {
    if (key != name) continue;
    if (value) return fail(ErrorKind::refused, "the authorization response has \"" + key + "\" twice");
    value = text;
  }
  return value;
}

}  // namespace

std::string pkce_challenge(std::string_view verifier) {
  return to_base64url(bytes_of(sha256(verifier)));
}

Result<AuthorizationRequest> make_authorization_request(const ServerMetadata& server, const AuthorizationAsk& ask) {
  if (server.authorization_endpoint.empty()) return fail(ErrorKind::refused, server.issuer + " has no authorization endpoint");
  if (std::ranges::find(server.challenge_methods, "S256") == server.challenge_methods.end())
    return fail(ErrorKind::refused, server.issuer + " does not offer PKCE with S256, without which codes can be stolen");
  HF_TRY(HttpUrl url, parse_http_url(server.authorization_endpoint));
  AuthorizationRequest request{{}, to_base64url(random_bytes(kSecretBytes)), to_base64url(random_bytes(kSecretBytes))};
  Fields fields{{"response_type", "code"},          {"client_id", ask.client_id},
                {"redirect_uri", ask.redirect_uri}, {"code_challenge", pkce_challenge(request.verifier)},
                {"code_challenge_method", "S256"},  {"state", request.state},
                {"resource", ask.resource}};
  if (!ask.scopes.empty()) fields.emplace_back("scope", join_scopes(ask.scopes));
  // OpenID providers give a refresh token only to those who let the person confirm it.
  if (std::ranges::find(ask.scopes, "offline_access") != ask.scopes.end()) fields.emplace_back("prompt", "consent");
  if (!url.query.empty()) url.query += '&';
  url.query += write_form(fields);
  request.url = url.text();
  return request;
}

Result<std::string> read_authorization_response(const ServerMetadata& server, const AuthorizationRequest& request,
                                                const Fields& parameters) {
  HF_TRY(const auto state, single(parameters, "state"));
  HF_TRY(const auto issuer, single(parameters, "iss"));
  HF_TRY(const auto error, single(parameters, "error"));
  HF_TRY(const auto code, single(parameters, "code"));
  if (!state || !equal_in_constant_time(*state, request.state))
    return fail(ErrorKind::refused, "the authorization response does not belong to our request: its state is another");
  // Before anything else that it says is believed, and by exact comparison.
  if (!issuer && server.returns_issuer)
    return fail(ErrorKind::refused,
                "the authorization response does not say who sent it, though " + server.issuer + " promised to");
  if (issuer && *issuer != server.issuer)
    return fail(ErrorKind::refused, "the authorization response comes from another issuer than " + server.issuer);
  if (error) {
    const std::string word(utf8_prefix(to_valid_utf8(*error), 100));
    return fail(ErrorKind::unauthorised, server.issuer + " did not authorize us: " + word, {}, word);
  }
  if (!code || code->empty()) return fail(ErrorKind::refused, "the authorization response has no code");
  return *code;
}

}  // namespace holdfast::mcp::oauth
