#include "mcp/oauth/discovery.h"

#include "base/text/text.h"

#include <algorithm>

namespace holdfast::mcp::oauth {
namespace {

Result<std::optional<ResourceMetadata>> find_resource_metadata(Web& web, const HttpUrl& server,
                                                               const std::optional<Challenge>& challenge) {
  std::vector<std::string> places = resource_metadata_urls(server);
  const auto named = challenge ? challenge->parameter("resource_metadata") : std::nullopt;
  if (named) {
    HF_TRY(const HttpUrl url, parse_peer_url(*named, server));
    if (url.origin() != server.origin())
      return fail(ErrorKind::refused, server.origin() + " names resource metadata of another origin: " + url.origin());
    places = {url.text()};
  }
  for (const std::string& place : places) {
    HF_TRY(const auto document, web.get(place));
    if (!document) continue;
    HF_TRY(ResourceMetadata metadata, read_resource_metadata(*document, server));
    return metadata;
  }
  if (named) return fail(ErrorKind::not_found, places.front() + " is named by the server and does not exist");
  return std::nullopt;
}

Result<ServerMetadata> find_server_metadata(Web& web, const std::string& issuer, const HttpUrl& server) {
  HF_TRY(const HttpUrl url, parse_peer_url(issuer, server));
  for (const std::string& place : net::issuer_metadata_urls(url)) {
    HF_TRY(const auto document, web.get(place));
    if (!document) continue;
    HF_TRY(ServerMetadata metadata, read_server_metadata(*document, server));
    // By exact comparison (RFC 8414 §3.3): otherwise one tenant could publish the endpoints of another.
    if (metadata.issuer != issuer)
      return fail(ErrorKind::refused, place + " is not the metadata of " + issuer + ", but of " +
                                          std::string(utf8_prefix(to_valid_utf8(metadata.issuer), 200)));
    return metadata;
  }
  return fail(ErrorKind::not_found, "the authorization server " + url.text() + " publishes no metadata");
}

// 2025-03-26. That text compares no issuer; what lies on the server's own origin is the server's word.
Result<Discovered> discover_without_resource_metadata(Web& web, const HttpUrl& server) {
  Discovered found;
  found.resource = server.text();
  HF_TRY(const auto document, web.get(server.origin() + "/.well-known/oauth-authorization-server"));
  if (!document) {
    found.server = default_server_metadata(server);
    return found;
  }
  HF_TRY(found.server, read_server_metadata(*document, server));
  HF_TRY(const HttpUrl issuer, parse_peer_url(found.server.issuer, server));
  if (issuer.origin() != server.origin())
    return fail(ErrorKind::refused, server.origin() + " publishes the metadata of another issuer: " + issuer.text());
  return found;
}

}  // namespace

Result<Discovered> discover(Web& web, const HttpUrl& server, const std::optional<Challenge>& challenge,
                            const std::function<bool(const std::string& issuer)>& known) {
  HF_TRY(const auto resource, find_resource_metadata(web, server, challenge));
  if (!resource) return discover_without_resource_metadata(web, server);
  const auto preferred = std::ranges::find_if(resource->authorization_servers, known);
  const bool found_one = preferred != resource->authorization_servers.end();
  const std::string& issuer = found_one ? *preferred : resource->authorization_servers.front();
  HF_TRY(ServerMetadata metadata, find_server_metadata(web, issuer, server));
  return Discovered{resource->resource, resource->scopes, resource->wants_dpop, std::move(metadata)};
}

}  // namespace holdfast::mcp::oauth
