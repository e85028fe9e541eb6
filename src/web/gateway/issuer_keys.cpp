#include "web/gateway/issuer_keys.h"

#include "net/client/http_client.h"
#include "net/http/http_url.h"

#include <fmt/format.h>

namespace holdfast::web {

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

}  // namespace holdfast::web
