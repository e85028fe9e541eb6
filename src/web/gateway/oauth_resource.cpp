#include "web/gateway/oauth_resource.h"

#include "net/http/http_url.h"

#include <algorithm>

namespace holdfast::web {

namespace {

constexpr std::string_view kMetadataPath = "/.well-known/oauth-protected-resource";
constexpr std::string_view kEndpoint = "/mcp";

// A quoted-string of a header: what could end it, or the line, is left out.
std::string header_quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text)
    if (c >= 0x20 && c < 0x7f && c != '"' && c != '\\') out += c;
  return out + '"';
}

std::string without_slash(std::string text) {
  while (text.ends_with('/')) text.pop_back();
  return text;
}

}  // namespace

Result<void> OauthSettings::check() const {
  if (issuer.empty()) return {};
  const auto url = net::parse_http_url(issuer);
  if (!url) return fail(Error(url.error()).within("oauth.issuer"));
  for (const auto& [name, text] : {std::pair("oauth.issuer", &issuer), std::pair("oauth.jwks_uri", &jwks_uri)}) {
    if (text->empty()) continue;
    if (auto usable = net::parse_peer_url(*text, *url); !usable) return fail(std::move(usable).error().within(name));
  }
  if (!public_url.empty())
    if (auto usable = net::parse_http_url(public_url); !usable) return fail(std::move(usable).error().within("oauth.public_url"));
  const bool printable = std::ranges::all_of(scope_prefix, [](char c) { return c > 0x20 && c < 0x7f && c != '"' && c != '\\'; });
  if (!printable) return fail(ErrorKind::invalid, "oauth.scope_prefix has characters that no scope has");
  return {};
}

void OauthResource::set_address(std::string address) {
  address_ = without_slash(settings_.public_url.empty() ? std::move(address) : settings_.public_url);
}

std::string OauthResource::resource() const {
  return address_ + std::string(kEndpoint);
}

JsonObject OauthResource::metadata() const {
  // admin is for whoever runs the server: a client that asks for all that is listed should not ask for that.
  JsonArray scopes;
  for (const Scope scope : {Scope::read, Scope::write, Scope::review}) scopes.emplace_back(named(scope));
  return {{"resource", resource()},
          {"authorization_servers", JsonArray{settings_.issuer}},
          {"scopes_supported", std::move(scopes)},
          {"bearer_methods_supported", JsonArray{"header"}},
          {"resource_name", "holdfast"}};
}

std::string OauthResource::with_metadata(std::string challenge) const {
  if (!is_enabled()) return challenge;
  challenge += challenge == "Bearer" ? " " : ", ";
  return challenge + "resource_metadata=" + header_quoted(address_ + std::string(kMetadataPath) + std::string(kEndpoint));
}

std::string OauthResource::challenge() const {
  if (!is_enabled()) return "Bearer";
  return with_metadata("Bearer scope=" + header_quoted(named(Scope::read) + " " + named(Scope::write)));
}

std::string OauthResource::challenge_invalid(std::string_view why) const {
  return with_metadata("Bearer error=\"invalid_token\", error_description=" + header_quoted(why));
}

std::string OauthResource::challenge_scope(Scope needed) const {
  return with_metadata("Bearer error=\"insufficient_scope\", scope=" + header_quoted(named(needed)));
}

bool is_resource_metadata_path(std::string_view path) {
  if (!path.starts_with(kMetadataPath)) return false;
  path.remove_prefix(kMetadataPath.size());
  return path.empty() || path == kEndpoint;
}

}  // namespace holdfast::web
