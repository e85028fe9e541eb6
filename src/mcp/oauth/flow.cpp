#include "mcp/oauth/flow.h"

#include "base/run/log.h"
#include "mcp/oauth/authorization_code.h"
#include "mcp/oauth/registration.h"

#include <algorithm>

namespace holdfast::mcp::oauth {
namespace {

void add_scopes(std::vector<std::string>& scopes, const std::vector<std::string>& more) {
  for (const std::string& scope : more)
    if (std::ranges::find(scopes, scope) == scopes.end()) scopes.push_back(scope);
}

}  // namespace

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
