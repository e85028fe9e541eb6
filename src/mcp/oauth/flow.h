#pragma once

// From a refusal to a token: discovery, what is stored, refresh, and if need be the grant that the settings name.
//
// Blocking, for minutes when a person is asked: authorizer.h runs it beside the loop. One thread at a time.

#include "base/run/clock.h"
#include "mcp/oauth/authorization_prompt.h"
#include "mcp/oauth/challenge.h"
#include "mcp/oauth/metadata.h"
#include "mcp/oauth/token.h"
#include "mcp/oauth/token_endpoint.h"
#include "mcp/oauth/web.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::mcp::oauth {

// The authorization request of the code grant, with PKCE (RFC 7636, S256 only), and the judgement of what comes back. No I/O.
std::string pkce_challenge(std::string_view verifier);  // S256

struct AuthorizationRequest {
  std::string url;       // to be visited
  std::string state;     // must come back
  std::string verifier;  // goes to the token endpoint only
};

struct AuthorizationAsk {
  std::string client_id, redirect_uri, resource;
  std::vector<std::string> scopes;
};

// Errors: refused (no authorization endpoint, no S256), invalid (its URL).
Result<AuthorizationRequest> make_authorization_request(const ServerMetadata& server, const AuthorizationAsk& ask);

// The code. Errors: refused (a parameter twice, another state, another issuer or none where one was promised: RFC 9207),
// unauthorised (the server or the person said no: `code` is the server's word).
Result<std::string> read_authorization_response(const ServerMetadata& server, const AuthorizationRequest& request,
                                                const Fields& parameters);

// Finding out who may authorize us for a server: its resource metadata, then the metadata of the authorization server that
// it names. Servers of 2025-03-26 have no resource metadata and are their own authorization server.
struct Discovered {
  std::string resource;             // to be sent as the resource parameter (RFC 8707)
  std::vector<std::string> scopes;  // of the resource metadata
  bool wants_dpop = false;
  ServerMetadata server;
};

// known: whether we are known at an issuer already; of several authorization servers such a one is taken, else the first.
// Errors: those of Web and of metadata.h; refused (metadata of another origin or another issuer), not_found (an authorization
// server without metadata).
Result<Discovered> discover(Web& web, const HttpUrl& server, const std::optional<Challenge>& challenge,
                            const std::function<bool(const std::string& issuer)>& known);

// Code of the error when a person would have to log in, and nobody can be asked.
inline constexpr std::string_view kLoginRequired = "login_required";

enum class Grant {
  authorization_code,  // a person decides
  client_credentials,  // the program is its own person
  jwt_bearer           // somebody else vouches for it: an assertion is handed in (RFC 7523)
};

// A client that was registered by hand.
struct KnownClient {
  std::string issuer;  // empty: whichever the server names
  ClientIdentity identity;
  std::string redirect_uri = {};  // that it was registered with; empty: any loopback address
};

struct Settings {
  std::string server_url;
  std::string client_name = "holdfast";
  Grant grant = Grant::authorization_code;
  std::optional<KnownClient> known_client;
  std::vector<std::string> scopes;                            // asked for instead of all that the resource knows of; empty: those
  std::string client_metadata_url;                            // our client id where such documents are taken; empty: none
  std::shared_ptr<AuthorizationPrompt> prompt;                // null: nobody can be asked
  std::string how_to_log_in = "log in once from a terminal";  // what somebody who cannot be asked now can do
  std::shared_ptr<TokenStore> store;                          // null: tokens live as long as this
  std::shared_ptr<const Clock> clock;                         // null: the system's
  // For jwt_bearer: the assertion to hand in. Called on the flow's thread.
  std::function<Result<std::string>(Web& web, const Discovered& where)> assertion;
};

// What a token is used with.
struct Session {
  Discovered where;
  ClientIdentity client;
  Token token;
  std::vector<std::string> asked_scopes;
};

struct Need {
  std::optional<Challenge> challenge;
  std::optional<Session> before;  // that was refused, or is about to expire
  bool more_scopes = false;       // the token is good, but does not do
};

class Flow {
 public:
  Flow(const Settings& settings, net::HttpClient& client, std::stop_token stop);

  // Errors: those of discovery, of token_endpoint.h and of the authorization response; unauthorised with code login_required.
  Result<Session> obtain(const Need& need);
  // A new token for one that is about to expire. Errors: not_found (it cannot be refreshed), those of the token endpoint.
  Result<Session> refresh(const Session& session);

 private:
  bool known_at(const std::string& issuer);
  std::vector<std::string> scopes_for(const Need& need, const Discovered& where) const;
  Result<std::optional<Session>> from_store(const Need& need, Session session);
  Result<void> refresh_in(IssuerRecord& record, Session& session);
  Result<Session> grant(Session session);
  Result<Session> ask_person(Session session);
  // redirect_uri: that will be used; empty: none will.
  std::optional<ClientIdentity> known_identity(const ServerMetadata& server, const IssuerRecord& record,
                                               const std::string& redirect_uri) const;
  Result<ClientIdentity> identify(const Session& session, const std::string& redirect_uri);
  Result<std::optional<SigningKey>> dpop_key(const Discovered& where) const;
  Result<Session> get_token(Session session, Fields fields);

  const Settings& settings_;
  Web web_;
  Millis now() const { return settings_.clock->now(); }
};

}  // namespace holdfast::mcp::oauth
