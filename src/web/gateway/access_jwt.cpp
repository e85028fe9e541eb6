#include "web/gateway/access_jwt.h"

#include "base/crypto/hash.h"
#include "base/text/text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

namespace holdfast::web {

namespace {

constexpr int kMaxTokenDepth = 16;
constexpr std::size_t kMaxSubjectBytes = 255;  // OpenID Connect's own limit
// "none" and those of shared secrets (HS256) are not among them.
constexpr std::array<std::string_view, 3> kAlgorithms = {"RS256", "ES256", "EdDSA"};
constexpr std::array<std::string_view, 3> kTypes = {"at+jwt", "application/at+jwt", "jwt"};

std::unexpected<Error> not_valid(std::string why) {
  return fail(ErrorKind::unauthorised, "this token is not valid: " + std::move(why));
}

Result<JsonObject> read_part(std::string_view part) {
  auto bytes = from_base64url(part);
  if (!bytes) return not_valid("it is not a JSON Web Token");
  JsonLimits limits;
  limits.max_depth = kMaxTokenDepth;
  auto value = parse_json(*bytes, limits);
  if (!value || !value->is_object()) return not_valid("it is not a JSON Web Token");
  return std::move(value->get_object());
}

// Seconds since 1970, maybe with a fraction.
std::optional<Millis> time_in(const JsonObject& claims, std::string_view name) {
  constexpr double kLatest = 1e11;  // seconds: far beyond any date that is meant, and far from overflowing
  const Json* value = find(claims, name);
  if (!value || !value->is_number()) return std::nullopt;
  const double seconds = value->to_number<double>();
  if (!std::isfinite(seconds) || seconds < 0 || seconds > kLatest) return std::nullopt;
  return static_cast<Millis>(seconds * 1000);
}

bool is_meant_for(const JsonObject& claims, std::string_view audience) {
  if (const auto one = find_string(claims, "aud")) return *one == audience;
  const JsonArray* several = find_array(claims, "aud");
  return several &&
         std::ranges::any_of(*several, [&](const Json& each) { return each.is_string() && view(each.get_string()) == audience; });
}

bool is_subject(std::string_view text) {
  return !text.empty() && text.size() <= kMaxSubjectBytes && is_valid_utf8(text) &&
         std::ranges::none_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

void add_scopes(Scopes& scopes, std::string_view words, std::string_view prefix) {
  while (!words.empty()) {
    const std::size_t end = std::min(words.find(' '), words.size());
    std::string_view word = words.substr(0, end);
    words.remove_prefix(std::min(end + 1, words.size()));
    if (!word.starts_with(prefix)) continue;
    word.remove_prefix(prefix.size());
    if (const auto scope = scope_named(word)) scopes.add(*scope);
  }
}

}  // namespace

bool looks_like_jwt(std::string_view text) {
  return std::ranges::count(text, '.') == 2;
}

Result<AccessJwt> read_jwt(std::string_view text) {
  if (text.size() > kMaxJwtBytes) return not_valid("it is too long");
  const std::size_t first = text.find('.'), last = text.rfind('.');
  if (first == text.npos || first == last || text.find('.', first + 1) != last) return not_valid("it is not a JSON Web Token");
  AccessJwt token;
  HF_TRY(const JsonObject header, read_part(text.substr(0, first)));
  HF_TRY(token.claims, read_part(text.substr(first + 1, last - first - 1)));
  auto signature = from_base64url(text.substr(last + 1));
  if (!signature) return not_valid("it is not a JSON Web Token");
  token.signature = *std::move(signature);
  token.signed_bytes = text.substr(0, last);
  token.algorithm = find_string(header, "alg").value_or("");
  token.key_id = find_string(header, "kid").value_or("");
  if (std::ranges::find(kAlgorithms, token.algorithm) == kAlgorithms.end())
    return not_valid("it is not signed with RS256, ES256 or EdDSA");
  const std::string type = to_ascii_lower(find_string(header, "typ").value_or(""));
  if (std::ranges::find(kTypes, type) == kTypes.end()) return not_valid("its type is not that of an access token");
  if (header.contains("crit")) return not_valid("it asks for extensions that are not known here");
  return token;
}

Result<void> check_claims(const AccessJwt& token, const JwtRules& rules, Millis now) {
  const JsonObject& claims = token.claims;
  if (find_string(claims, "iss") != rules.issuer) return not_valid("it is from another issuer");
  if (!is_meant_for(claims, rules.audience)) return not_valid("it is meant for another audience");
  const auto expires = time_in(claims, "exp");
  if (!expires) return not_valid("it does not say when it expires");
  if (*expires + kJwtLeeway <= now) return not_valid("it has expired");
  if (claims.contains("nbf")) {
    const auto begins = time_in(claims, "nbf");
    if (!begins || *begins - kJwtLeeway > now) return not_valid("it is not valid yet");
  }
  if (!is_subject(find_string(claims, "sub").value_or(""))) return not_valid("it names no subject");
  // Who holds such a token has to prove it with a key (DPoP, mutual TLS); without that proof it may be a stolen one.
  if (claims.contains("cnf")) return not_valid("it is bound to a key, and this server does not check such proofs");
  return {};
}

Millis expiry_of(const AccessJwt& token) {
  return time_in(token.claims, "exp").value_or(0) + kJwtLeeway;
}

Result<Identity> identity_of(const AccessJwt& token, const JwtRules& rules) {
  Identity identity;
  identity.person = find_string(token.claims, "sub").value_or("");
  identity.principal = rules.issuer + "|" + identity.person;
  if (!rules.team_claim.empty())
    if (const Json* team = find(token.claims, rules.team_claim)) {
      if (!team->is_string() || !is_principal_name(view(team->get_string())))
        return not_valid("its claim " + rules.team_claim + " names no team");
      identity.principal = std::string(kTeamPrefix) + std::string(view(team->get_string()));
    }
  identity.has_token = true;
  if (const auto words = find_string(token.claims, "scope")) {
    add_scopes(identity.scopes, *words, rules.scope_prefix);
  } else if (const auto one = find_string(token.claims, "scp")) {  // how some issuers spell it
    add_scopes(identity.scopes, *one, rules.scope_prefix);
  } else if (const JsonArray* several = find_array(token.claims, "scp")) {
    for (const Json& each : *several)
      if (each.is_string()) add_scopes(identity.scopes, view(each.get_string()), rules.scope_prefix);
  }
  return identity;
}

}  // namespace holdfast::web
