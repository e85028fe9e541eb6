#include "mcp/oauth/registration.h"

#include "base/text/text.h"
#include "mcp/oauth/challenge.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::mcp::oauth {
namespace {

// A program on somebody's machine keeps no secret, so it would rather have none.
std::string wanted_auth_method(const ServerMetadata& server) {
  for (const char* method : {"none", "client_secret_basic", "client_secret_post"})
    if (std::ranges::find(server.auth_methods, method) != server.auth_methods.end()) return method;
  return "client_secret_basic";  // what RFC 8414 says of those who list nothing
}

}  // namespace

Result<ClientRegistration> register_client(Web& web, const ServerMetadata& server, const std::string& client_name,
                                           const std::string& redirect_uri, const std::vector<std::string>& scopes) {
  constexpr const char* kHint = "register a client there by hand, and give its client id";
  if (server.registration_endpoint.empty())
    return fail(ErrorKind::refused, server.issuer + " does not know us and lets nobody register", kHint);
  JsonArray grants{"authorization_code"};
  if (server.offers_grant("refresh_token")) grants.emplace_back("refresh_token");
  const std::string method = wanted_auth_method(server);
  JsonObject body{{"client_name", client_name},
                  {"application_type", "native"},
                  {"redirect_uris", JsonArray{Json(redirect_uri)}},
                  {"grant_types", std::move(grants)},
                  {"response_types", JsonArray{Json("code")}},
                  {"token_endpoint_auth_method", method}};
  if (!scopes.empty()) body["scope"] = join_scopes(scopes);
  HF_TRY(const WebAnswer answer, web.post_json(server.registration_endpoint, body));
  const JsonObject* object = answer.body.if_object();
  if (answer.status != 201 && answer.status != 200) {
    const auto said =
        object ? find_string(*object, "error_description").value_or(find_string(*object, "error").value_or("")) : "";
    return fail(ErrorKind::refused,
                fmt::format("{} did not register us: HTTP status {} {}", server.issuer, answer.status, utf8_prefix(said, 300)),
                kHint);
  }
  const auto id = object ? find_string(*object, "client_id") : std::nullopt;
  if (!id || id->empty()) return fail(ErrorKind::corrupt, server.registration_endpoint + " answered without a client id");
  ClientRegistration client;
  client.client_id = *id;
  client.client_secret = find_string(*object, "client_secret").value_or("");
  client.auth_method = find_string(*object, "token_endpoint_auth_method").value_or(method);
  client.redirect_uri = redirect_uri;
  if (client.client_secret.empty()) client.auth_method = "none";
  return client;
}

}  // namespace holdfast::mcp::oauth
