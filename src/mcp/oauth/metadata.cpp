#include "mcp/oauth/metadata.h"

#include "base/text/text.h"

#include <algorithm>

namespace holdfast::mcp::oauth {
namespace {

std::string shown(std::string_view text) {
  return std::string(utf8_prefix(to_valid_utf8(text), 200));
}

Result<std::string> endpoint(const JsonObject& object, std::string_view key, const HttpUrl& server) {
  const auto text = find_string(object, key);
  if (!text) return std::string();
  HF_TRY(const HttpUrl url, parse_peer_url(*text, server));
  return url.text();
}

}  // namespace

bool covers(const HttpUrl& resource, const HttpUrl& server) {
  if (resource.origin() != server.origin() || (!resource.query.empty() && resource.query != server.query)) return false;
  std::string_view above = resource.path;
  while (above.ends_with('/')) above.remove_suffix(1);
  return server.path.starts_with(above) && (server.path.size() == above.size() || server.path[above.size()] == '/');
}

bool ServerMetadata::offers_grant(std::string_view grant) const {
  return grants.empty() || std::ranges::find(grants, grant) != grants.end();
}

std::vector<std::string> resource_metadata_urls(const HttpUrl& server) {
  const std::string root = server.origin() + "/.well-known/oauth-protected-resource";
  if (server.path.empty() || server.path == "/") return {root};
  return {root + server.path, root};
}

Result<ResourceMetadata> read_resource_metadata(const Json& document, const HttpUrl& server) {
  const JsonObject* object = document.if_object();
  const auto resource = object ? find_string(*object, "resource") : std::nullopt;
  if (!resource) return fail(ErrorKind::corrupt, "the server's resource metadata names no resource");
  ResourceMetadata metadata;
  metadata.resource = *resource;
  const auto url = parse_http_url(*resource);
  if (!url || !covers(*url, server))
    return fail(ErrorKind::refused,
                "the resource metadata of " + server.text() + " speaks of another resource: " + shown(*resource),
                "a token for that would not be meant for this server; tell its operator");
  metadata.authorization_servers = strings_in(*object, "authorization_servers");
  if (metadata.authorization_servers.empty())
    return fail(ErrorKind::refused, "the resource metadata of " + server.text() + " names no authorization server");
  metadata.scopes = strings_in(*object, "scopes_supported");
  metadata.wants_dpop = find_bool(*object, "dpop_bound_access_tokens_required").value_or(false);
  return metadata;
}

Result<ServerMetadata> read_server_metadata(const Json& document, const HttpUrl& server) {
  const JsonObject* object = document.if_object();
  const auto issuer = object ? find_string(*object, "issuer") : std::nullopt;
  if (!issuer) return fail(ErrorKind::corrupt, "the authorization server's metadata names no issuer");
  ServerMetadata metadata;
  metadata.issuer = *issuer;
  HF_TRY(metadata.authorization_endpoint, endpoint(*object, "authorization_endpoint", server));
  HF_TRY(metadata.token_endpoint, endpoint(*object, "token_endpoint", server));
  HF_TRY(metadata.registration_endpoint, endpoint(*object, "registration_endpoint", server));
  if (metadata.token_endpoint.empty())
    return fail(ErrorKind::corrupt, "the metadata of " + shown(*issuer) + " names no token endpoint");
  metadata.scopes = strings_in(*object, "scopes_supported");
  metadata.grants = strings_in(*object, "grant_types_supported");
  metadata.auth_methods = strings_in(*object, "token_endpoint_auth_methods_supported");
  metadata.challenge_methods = strings_in(*object, "code_challenge_methods_supported");
  metadata.dpop_algorithms = strings_in(*object, "dpop_signing_alg_values_supported");
  metadata.returns_issuer = find_bool(*object, "authorization_response_iss_parameter_supported").value_or(false);
  metadata.takes_metadata_urls = find_bool(*object, "client_id_metadata_document_supported").value_or(false);
  return metadata;
}

ServerMetadata default_server_metadata(const HttpUrl& server) {
  const std::string origin = server.origin();
  ServerMetadata metadata;
  metadata.issuer = origin;
  metadata.authorization_endpoint = origin + "/authorize";
  metadata.token_endpoint = origin + "/token";
  metadata.registration_endpoint = origin + "/register";
  metadata.auth_methods = {"none"};
  metadata.challenge_methods = {"S256"};
  return metadata;
}

}  // namespace holdfast::mcp::oauth
