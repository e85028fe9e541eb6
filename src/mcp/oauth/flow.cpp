#include "mcp/oauth/flow.h"

#include "base/crypto/hash.h"
#include "base/run/log.h"
#include "base/text/text.h"

#include <fmt/format.h>

#include <algorithm>

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

// Becoming a client of an authorization server: by dynamic registration (RFC 7591), where it offers that.

// A program on somebody's machine keeps no secret, so it would rather have none.
std::string wanted_auth_method(const ServerMetadata& server) {
  for (const char* method : {"none", "client_secret_basic", "client_secret_post"})
    if (std::ranges::find(server.auth_methods, method) != server.auth_methods.end()) return method;
  return "client_secret_basic";  // what RFC 8414 says of those who list nothing
}

// A native program that authorizes with codes. Errors: those of Web; refused (no way to register, or it said no; with what a
// person can do instead), corrupt.
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

void add_scopes(std::vector<std::string>& scopes, const std::vector<std::string>& more) {
  for (const std::string& scope : more)
    if (std::ranges::find(scopes, scope) == scopes.end()) scopes.push_back(scope);
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

Flow::Flow(const Settings& settings, net::HttpClient& client, std::stop_token stop)
    : settings_(settings), web_(client, std::move(stop)) {}

bool Flow::known_at(const std::string& issuer) {
  if (settings_.known_client && settings_.known_client->issuer == issuer) return true;
  const auto record = settings_.store->read(issuer);
  return record && (record->registration || !record->tokens.empty());
}

// What the challenge asks for, else what the settings name, else all that the resource knows of; and never less than what was
// asked for before, which a new token would lack. offline_access belongs to the authorization server: it is what refresh tokens
// are called there.
std::vector<std::string> Flow::scopes_for(const Need& need, const Discovered& where) const {
  std::vector<std::string> scopes;
  if (need.before && need.before->where.server.issuer == where.server.issuer) scopes = need.before->asked_scopes;
  std::vector<std::string> challenged = need.challenge ? need.challenge->scopes() : std::vector<std::string>();
  add_scopes(scopes, settings_.scopes);
  add_scopes(scopes, challenged.empty() && scopes.empty() ? where.scopes : challenged);
  const bool lists_offline = std::ranges::find(where.server.scopes, "offline_access") != where.server.scopes.end();
  if (lists_offline && settings_.grant == Grant::authorization_code) add_scopes(scopes, {"offline_access"});
  return scopes;
}

Result<Session> Flow::obtain(const Need& need) {
  HF_TRY(const HttpUrl server, parse_http_url(settings_.server_url));
  HF_CHECK(parse_peer_url(settings_.server_url, server));
  Session session;
  HF_TRY(session.where, discover(web_, server, need.challenge, [this](const std::string& issuer) { return known_at(issuer); }));
  if (need.challenge && need.challenge->scheme == "dpop") session.where.wants_dpop = true;
  session.asked_scopes = scopes_for(need, session.where);
  HF_TRY(auto stored, from_store(need, session));
  if (stored) return *std::move(stored);
  HF_TRY(session, grant(std::move(session)));
  HF_CHECK(settings_.store->change(session.where.server.issuer, [&](IssuerRecord& record) -> Result<void> {
    record.tokens[session.where.resource] = session.token;
    return {};
  }));
  return session;
}

// Another run, or another process, may have got one that does; and a refresh needs nobody.
Result<std::optional<Session>> Flow::from_store(const Need& need, Session session) {
  const std::string& issuer = session.where.server.issuer;
  const std::string rejected = need.before ? need.before->token.access_token : "";
  const std::vector<std::string> needed = need.challenge ? need.challenge->scopes() : std::vector<std::string>();
  bool found = false;
  HF_CHECK(settings_.store->change(issuer, [&](IssuerRecord& record) -> Result<void> {
    const auto stored = record.tokens.find(session.where.resource);
    if (stored == record.tokens.end() || !stored->second.covers(needed)) return {};
    const auto client = known_identity(session.where.server, record, {});
    if (!client) return {};
    session.client = *client;
    session.token = stored->second;
    found = session.token.access_token != rejected && !session.token.expires_before(now());
    if (found || need.more_scopes || session.token.refresh_token.empty()) return {};
    if (auto refreshed = refresh_in(record, session); !refreshed) {
      if (refreshed.error().kind != ErrorKind::unauthorised) return refreshed;
      log(LogLevel::debug, "oauth", "a token could not be refreshed: " + refreshed.error().message);
      record.tokens.erase(session.where.resource);
      return {};
    }
    found = true;
    return {};
  }));
  if (!found) return std::nullopt;
  return session;
}

Result<void> Flow::refresh_in(IssuerRecord& record, Session& session) {
  const Token old = session.token;
  TokenRequest request;
  request.fields = {{"grant_type", "refresh_token"}, {"refresh_token", old.refresh_token}, {"resource", session.where.resource}};
  request.scopes = old.scopes;
  if (old.dpop) {
    HF_TRY(request.dpop, SigningKey::from_pem(old.dpop_key));
  }
  HF_TRY(session.token, request_token(web_, session.where.server, session.client, std::move(request), now()));
  // A server that does not rotate refresh tokens sends none.
  if (session.token.refresh_token.empty()) session.token.refresh_token = old.refresh_token;
  record.tokens[session.where.resource] = session.token;
  return {};
}

Result<Session> Flow::refresh(const Session& session) {
  Session renewed = session;
  HF_CHECK(settings_.store->change(session.where.server.issuer, [&](IssuerRecord& record) -> Result<void> {
    const auto stored = record.tokens.find(session.where.resource);
    if (stored == record.tokens.end()) return fail(ErrorKind::not_found, "there is no token to refresh");
    renewed.token = stored->second;
    // Another process was faster.
    if (renewed.token.access_token != session.token.access_token && !renewed.token.expires_before(now())) return {};
    if (renewed.token.refresh_token.empty()) return fail(ErrorKind::not_found, "there is no refresh token");
    return refresh_in(record, renewed);
  }));
  return renewed;
}

Result<Session> Flow::grant(Session session) {
  switch (settings_.grant) {
    case Grant::authorization_code:
      return ask_person(std::move(session));
    case Grant::client_credentials: {
      HF_TRY(session.client, identify(session, {}));
      return get_token(std::move(session), {{"grant_type", "client_credentials"}});
    }
    case Grant::jwt_bearer: {
      HF_TRY(session.client, identify(session, {}));
      HF_TRY(std::string assertion, settings_.assertion(web_, session.where));
      return get_token(std::move(session),
                       {{"grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer"}, {"assertion", std::move(assertion)}});
    }
  }
  return fail(ErrorKind::internal, "an unknown grant");
}

Result<Session> Flow::ask_person(Session session) {
  const ServerMetadata& server = session.where.server;
  if (!settings_.prompt)
    return fail(ErrorKind::unauthorised, settings_.server_url + " wants somebody to log in, and there is nobody to ask",
                settings_.how_to_log_in, std::string(kLoginRequired));
  HF_TRY(const IssuerRecord record, settings_.store->read(server.issuer));
  std::string registered = record.registration ? record.registration->redirect_uri : "";
  if (settings_.known_client) registered = settings_.known_client->redirect_uri;
  HF_TRY(const auto place, settings_.prompt->prepare(registered));
  // Checked before we register with somebody whom we will not use.
  AuthorizationAsk ask{{}, place->uri(), session.where.resource, session.asked_scopes};
  HF_CHECK(make_authorization_request(server, ask));
  HF_TRY(session.client, identify(session, place->uri()));
  ask.client_id = session.client.client_id;
  HF_TRY(const AuthorizationRequest request, make_authorization_request(server, ask));
  HF_TRY(const Fields parameters, place->ask(request.url, request.state, web_.stop()));
  HF_TRY(std::string code, read_authorization_response(server, request, parameters));
  return get_token(std::move(session), {{"grant_type", "authorization_code"},
                                        {"code", std::move(code)},
                                        {"redirect_uri", ask.redirect_uri},
                                        {"code_verifier", request.verifier}});
}

// Registered by hand, then by our metadata document, then by ourselves.
std::optional<ClientIdentity> Flow::known_identity(const ServerMetadata& server, const IssuerRecord& record,
                                                   const std::string& redirect_uri) const {
  if (settings_.known_client && (settings_.known_client->issuer.empty() || settings_.known_client->issuer == server.issuer))
    return settings_.known_client->identity;
  if (server.takes_metadata_urls && !settings_.client_metadata_url.empty())
    return ClientIdentity{settings_.client_metadata_url, {}, {}, "none"};
  const auto& made = record.registration;
  if (!made || (!redirect_uri.empty() && made->redirect_uri != redirect_uri)) return std::nullopt;
  return ClientIdentity{made->client_id, made->client_secret, {}, made->auth_method};
}

Result<ClientIdentity> Flow::identify(const Session& session, const std::string& redirect_uri) {
  const ServerMetadata& server = session.where.server;
  HF_TRY(IssuerRecord record, settings_.store->read(server.issuer));
  if (auto known = known_identity(server, record, redirect_uri)) return *std::move(known);
  if (redirect_uri.empty())
    return fail(ErrorKind::unauthorised, "we are not registered at " + server.issuer, "give the client id that it knows us by");
  HF_TRY(const ClientRegistration made, register_client(web_, server, settings_.client_name, redirect_uri, session.asked_scopes));
  HF_CHECK(settings_.store->change(server.issuer, [&](IssuerRecord& changed) -> Result<void> {
    changed.registration = made;
    changed.tokens.clear();  // they belong to the client that we were
    return {};
  }));
  return ClientIdentity{made.client_id, made.client_secret, {}, made.auth_method};
}

Result<std::optional<SigningKey>> Flow::dpop_key(const Discovered& where) const {
  const auto& algorithms = where.server.dpop_algorithms;
  if (!where.wants_dpop || std::ranges::find(algorithms, "ES256") == algorithms.end()) return std::nullopt;
  HF_TRY(SigningKey key, SigningKey::make());
  return key;
}

Result<Session> Flow::get_token(Session session, Fields fields) {
  TokenRequest request;
  request.fields = std::move(fields);
  request.fields.emplace_back("resource", session.where.resource);
  // With a code the scope has been decided.
  const bool decided = settings_.grant == Grant::authorization_code;
  if (!decided && !session.asked_scopes.empty()) request.fields.emplace_back("scope", join_scopes(session.asked_scopes));
  request.scopes = session.asked_scopes;
  HF_TRY(request.dpop, dpop_key(session.where));
  HF_TRY(session.token, request_token(web_, session.where.server, session.client, std::move(request), now()));
  return session;
}

}  // namespace holdfast::mcp::oauth
