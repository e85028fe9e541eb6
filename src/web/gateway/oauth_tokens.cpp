#include "web/gateway/oauth_tokens.h"

#include "base/crypto/hash.h"
#include "base/run/log.h"
#include "base/text/text.h"
#include "net/client/http_client.h"
#include "net/http/http_url.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

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

namespace {

constexpr std::uint64_t kMaxDocumentBytes = 512 * 1024;
constexpr int kMaxDocumentDepth = 16;
// Requests of clients wait for it.
constexpr std::chrono::milliseconds kPatience{10'000};

// nullopt: there is no such document.
Result<std::optional<Json>> get(net::HttpClient& client, const std::string& url) {
  net::HttpCall call;
  call.url = url;
  call.headers.emplace_back("Accept", "application/json");
  call.follow_redirects = false;
  call.connect_timeout = call.stalled_timeout = kPatience;
  call.max_answer_bytes = kMaxDocumentBytes;
  HF_TRY(const net::HttpAnswer answer, client.send(call));
  if (answer.status >= 400 && answer.status < 500) return std::nullopt;
  if (answer.status != 200)
    return fail(ErrorKind::unavailable, fmt::format("{} answered with HTTP status {}", url, answer.status));
  JsonLimits limits;
  limits.max_depth = kMaxDocumentDepth;
  auto document = parse_json(answer.body, limits);
  if (!document) return fail(ErrorKind::corrupt, url + ": " + document.error().message);
  return *std::move(document);
}

Result<std::string> keys_address(net::HttpClient& client, const OauthSettings& settings) {
  if (!settings.jwks_uri.empty()) return settings.jwks_uri;
  HF_TRY(const net::HttpUrl issuer, net::parse_http_url(settings.issuer));
  for (const std::string& place : net::issuer_metadata_urls(issuer)) {
    HF_TRY(const auto document, get(client, place));
    if (!document) continue;
    const JsonObject* metadata = document->if_object();
    if (!metadata || holdfast::find_string(*metadata, "issuer") != settings.issuer)
      return fail(ErrorKind::refused, place + " speaks of another issuer", "set oauth.issuer exactly as the issuer spells it");
    const auto address = holdfast::find_string(*metadata, "jwks_uri");
    if (!address) return fail(ErrorKind::corrupt, place + " names no jwks_uri", "set oauth.jwks_uri");
    HF_TRY(const net::HttpUrl usable, net::parse_peer_url(*address, issuer));
    return usable.text();
  }
  return fail(ErrorKind::unavailable, "the issuer publishes no metadata: " + settings.issuer, "set oauth.jwks_uri");
}

}  // namespace

Result<IssuerKeys> IssuerKeys::read(const Json& document) {
  const JsonObject* object = document.if_object();
  const JsonArray* listed = object ? find_array(*object, "keys") : nullptr;
  if (!listed) return fail(ErrorKind::corrupt, "the issuer's keys are not a key set");
  IssuerKeys keys;
  for (const Json& each : *listed) {
    if (!each.is_object() || keys.keys_.size() == kMaxIssuerKeys) continue;
    if (auto key = VerifyingKey::from_jwk(each.get_object()))
      keys.keys_.push_back({std::string(find_string(each.get_object(), "kid").value_or("")), *std::move(key)});
  }
  return keys;
}

const VerifyingKey* IssuerKeys::find(std::string_view key_id, std::string_view algorithm) const {
  const VerifyingKey* found = nullptr;
  for (const Named& each : keys_) {
    if (each.key.algorithm() != algorithm || (!key_id.empty() && each.id != key_id)) continue;
    if (found) return nullptr;  // which one is meant is for the token to say
    found = &each.key;
  }
  return found;
}

KeyFetch fetch_keys_of(OauthSettings settings) {
  return [settings = std::move(settings)]() -> Result<IssuerKeys> {
    HF_TRY(const auto client, net::HttpClient::make());
    HF_TRY(const std::string address, keys_address(*client, settings));
    HF_TRY(const auto document, get(*client, address));
    if (!document) return fail(ErrorKind::unavailable, "there are no keys at " + address);
    return IssuerKeys::read(*document);
  };
}

namespace {

std::unexpected<Error> unknown_key() {
  return fail(ErrorKind::unauthorised, "this token is not valid: it is signed by a key that the issuer does not publish");
}

}  // namespace

JwtRules OauthTokens::rules() const {
  const OauthSettings& settings = resource_.settings();
  return {settings.issuer, resource_.audience(), settings.scope_prefix, settings.team_claim};
}

void OauthTokens::admit(const std::string& text, Admitted admitted) {
  std::string digest = to_hex(sha256(text));
  if (const auto known = known_.find(digest))
    if (known->until > Time::now() && known->expires > clock_.now()) return admitted(known->identity);
  auto token = read_jwt(text);
  if (!token) return admitted(fail(std::move(token).error()));
  if (auto holds = check_claims(*token, rules(), clock_.now()); !holds) return admitted(fail(std::move(holds).error()));
  judge({std::make_shared<AccessJwt>(*std::move(token)), std::move(digest), std::move(admitted)}, false);
}

void OauthTokens::judge(Waiting waiting, bool after_fetch) {
  const auto now = Time::now();
  if (has_keys_ && now - fetched_at_ < kKeysUsable) {
    const VerifyingKey* key = keys_.find(waiting.token->key_id, waiting.token->algorithm);
    if (key && now - fetched_at_ >= kKeysFresh && !fetching_) fetch();
    if (key) return check_signature(std::move(waiting), *key);
    if (after_fetch || (!fetching_ && now - tried_at_ < kRefetchForUnknown)) return waiting.admitted(unknown_key());
  } else if (after_fetch || (has_tried_ && !fetching_ && now - tried_at_ < kRefetchForUnknown)) {
    return waiting.admitted(fail(ErrorKind::unavailable, "the keys of the issuer could not be had", "try again in a moment"));
  }
  if (waiting_.size() >= kMaxWaiting)
    return waiting.admitted(fail(ErrorKind::unavailable, "too many wait for the keys of the issuer", "try again in a moment"));
  waiting_.push_back(std::move(waiting));
  if (!fetching_) fetch();
}

void OauthTokens::check_signature(Waiting waiting, VerifyingKey key) {
  pool_.submit([this, waiting = std::move(waiting), key = std::move(key)]() mutable {
    const bool holds = key.has_signed(waiting.token->signed_bytes, waiting.token->signature);
    executor_.post([this, holds, waiting = std::move(waiting)] {
      if (!holds) return waiting.admitted(fail(ErrorKind::unauthorised, "this token is not valid: its signature is wrong"));
      auto identity = identity_of(*waiting.token, rules());
      if (identity) remember(waiting.digest, *identity, expiry_of(*waiting.token));
      waiting.admitted(std::move(identity));
    });
  });
}

void OauthTokens::remember(const std::string& digest, const Identity& identity, Millis expires) {
  known_.put(digest, Known{identity, Time::now() + kBelieved, expires});
}

void OauthTokens::fetch() {
  fetching_ = true;
  has_tried_ = true;
  tried_at_ = Time::now();
  pool_.submit([this] {
    auto keys = std::make_shared<Result<IssuerKeys>>(fetch_());
    executor_.post([this, keys] { fetched(std::move(*keys)); });
  });
}

void OauthTokens::fetched(Result<IssuerKeys> keys) {
  fetching_ = false;
  if (keys) {
    keys_ = *std::move(keys);
    has_keys_ = true;
    fetched_at_ = tried_at_;
  } else {
    log(LogLevel::warn, "web", "the issuer's keys could not be fetched: " + keys.error().message);
  }
  for (Waiting& each : std::exchange(waiting_, {})) judge(std::move(each), true);
}

}  // namespace holdfast::web
