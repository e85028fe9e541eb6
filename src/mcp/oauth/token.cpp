#include "mcp/oauth/token.h"

#include "base/text/text.h"
#include "mcp/oauth/challenge.h"

#include <algorithm>

namespace holdfast::mcp::oauth {
namespace {

// Longer than any token lives; keeps the sum below from overflowing.
constexpr std::int64_t kMaxLifetimeSeconds = 10LL * 365 * 24 * 3600;

// RFC 6749 appendix A: anything else would let a token write headers.
bool is_token_text(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c > 0x20 && c < 0x7F; });
}

}  // namespace

bool Token::covers(const std::vector<std::string>& wanted) const {
  return std::ranges::all_of(wanted, [&](const std::string& scope) { return std::ranges::find(scopes, scope) != scopes.end(); });
}

Result<Token> read_token_answer(const Json& body, const std::vector<std::string>& asked_scopes, Millis now) {
  const JsonObject* object = body.if_object();
  if (!object) return fail(ErrorKind::corrupt, "the token endpoint did not answer with a JSON object");
  Token token;
  token.access_token = text_in(*object, "access_token");
  if (!is_token_text(token.access_token)) return fail(ErrorKind::corrupt, "the token endpoint answered without an access token");
  const auto type = find_string(*object, "token_type");
  token.dpop = type && equal_ignoring_ascii_case(*type, "dpop");
  if (!type || (!token.dpop && !equal_ignoring_ascii_case(*type, "bearer")))
    return fail(ErrorKind::corrupt, "the token endpoint answered with a type of token that we do not know");
  token.refresh_token = text_in(*object, "refresh_token");
  if (!token.refresh_token.empty() && !is_token_text(token.refresh_token)) token.refresh_token.clear();
  const auto scope = find_string(*object, "scope");
  token.scopes = scope ? split_scopes(*scope) : asked_scopes;
  if (const auto lifetime = find_int(*object, "expires_in"); lifetime && *lifetime >= 0)
    token.expires_at = now + std::min(*lifetime, kMaxLifetimeSeconds) * 1000;
  return token;
}

JsonObject to_json_object(const IssuerRecord& record) {
  JsonObject tokens;
  for (const auto& [resource, token] : record.tokens)
    tokens[resource] = JsonObject{
        {"access_token", token.access_token}, {"refresh_token", token.refresh_token}, {"dpop", token.dpop},
        {"dpop_key", token.dpop_key},         {"scope", join_scopes(token.scopes)},   {"expires_at", token.expires_at}};
  JsonObject object{{"tokens", std::move(tokens)}};
  if (record.registration)
    object["registration"] = JsonObject{{"client_id", record.registration->client_id},
                                        {"client_secret", record.registration->client_secret},
                                        {"auth_method", record.registration->auth_method},
                                        {"redirect_uri", record.registration->redirect_uri}};
  return object;
}

IssuerRecord read_issuer_record(const JsonObject& object) {
  IssuerRecord record;
  if (const JsonObject* client = find_object(object, "registration"))
    record.registration = ClientRegistration{text_in(*client, "client_id"), text_in(*client, "client_secret"),
                                             text_in(*client, "auth_method"), text_in(*client, "redirect_uri")};
  const JsonObject* tokens = find_object(object, "tokens");
  for (const auto& member : tokens ? *tokens : JsonObject()) {
    const JsonObject* stored = member.value().if_object();
    if (!stored || !is_token_text(text_in(*stored, "access_token"))) continue;
    Token& token = record.tokens[std::string(member.key())];
    token.access_token = text_in(*stored, "access_token");
    token.refresh_token = text_in(*stored, "refresh_token");
    token.dpop = find_bool(*stored, "dpop").value_or(false);
    token.dpop_key = text_in(*stored, "dpop_key");
    token.scopes = split_scopes(text_in(*stored, "scope"));
    token.expires_at = find_int(*stored, "expires_at").value_or(0);
  }
  return record;
}

}  // namespace holdfast::mcp::oauth
