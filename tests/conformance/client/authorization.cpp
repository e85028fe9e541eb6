#include "authorization.h"

#include "mcp/oauth/authorizer.h"

#include <fmt/format.h>

namespace holdfast::conformance {
namespace {

namespace oauth = mcp::oauth;

// Nobody listens here: the redirect is read from the answer that asks a browser to follow it.
constexpr const char* kRedirectUri = "http://127.0.0.1:3000/callback";
// The suite expects this client id where client id metadata documents are taken, and never fetches it.
constexpr const char* kClientMetadataUrl = "https://conformance-test.local/client-metadata.json";

class ReadRedirect final : public oauth::RedirectPlace {
 public:
  std::string uri() const override { return kRedirectUri; }
  Result<oauth::Fields> ask(const std::string& url, const std::string&, const std::stop_token&) override {
    HF_TRY(const auto client, net::HttpClient::make());
    net::HttpCall call;
    call.url = url;
    call.follow_redirects = false;
    HF_TRY(const net::HttpAnswer answer, client->send(call));
    const std::string_view location = answer.header("location");
    if (!location.starts_with(kRedirectUri))
      return fail(ErrorKind::refused, fmt::format("the authorization endpoint answered with {} and no redirect", answer.status));
    HF_TRY(const oauth::HttpUrl target, oauth::parse_http_url(location));
    return oauth::read_form(target.query);
  }
};

class ObedientBrowser final : public oauth::AuthorizationPrompt {
 public:
  Result<std::unique_ptr<oauth::RedirectPlace>> prepare(const std::string&) override { return std::make_unique<ReadRedirect>(); }
};

class Context {
 public:
  explicit Context(JsonObject object) : object_(std::move(object)) {}
  std::string text(std::string_view key) const { return std::string(find_string(object_, key).value_or("")); }

 private:
  JsonObject object_;
};

Result<Context> read_context(std::string_view text) {
  if (text.empty()) return Context({});
  HF_TRY(Json value, parse_json(text));
  if (!value.is_object()) return fail(ErrorKind::invalid, "MCP_CONFORMANCE_CONTEXT is not an object");
  return Context(std::move(value.get_object()));
}

// The identity provider that knows the user vouches for them: their id token becomes an assertion for the server's issuer.
Result<std::string> exchange_id_token(const Context& context, oauth::Web& web, const oauth::Discovered& where) {
  // RFC 8693: what comes back is called access_token, whatever it is.
  HF_TRY(const oauth::WebAnswer answer, web.post_form(context.text("idp_token_endpoint"),
                                                      {{"grant_type", "urn:ietf:params:oauth:grant-type:token-exchange"},
                                                       {"client_id", context.text("idp_client_id")},
                                                       {"subject_token", context.text("idp_id_token")},
                                                       {"subject_token_type", "urn:ietf:params:oauth:token-type:id_token"},
                                                       {"requested_token_type", "urn:ietf:params:oauth:token-type:id-jag"},
                                                       {"audience", where.server.issuer},
                                                       {"resource", where.resource}},
                                                      {}));
  const JsonObject* object = answer.body.if_object();
  const std::string token = object ? text_in(*object, "access_token") : "";
  if (answer.status != 200 || token.empty()) return fail(ErrorKind::unauthorised, "the identity provider exchanged nothing");
  return token;
}

}  // namespace

Result<std::shared_ptr<mcp::HttpAuthorizer>> authorizer_for(std::string_view scenario, const std::string& server_url,
                                                            std::string_view context_text, net::EventLoop& loop) {
  HF_TRY(const Context context, read_context(context_text));
  oauth::Settings settings;
  settings.server_url = server_url;
  settings.client_name = "holdfast-conformance-client";
  settings.client_metadata_url = kClientMetadataUrl;
  settings.prompt = std::make_shared<ObedientBrowser>();
  if (const std::string id = context.text("client_id"); !id.empty()) {
    oauth::ClientIdentity identity{id, context.text("client_secret"), {}, {}};
    if (const std::string pem = context.text("private_key_pem"); !pem.empty()) {
      HF_TRY(identity.key, SigningKey::from_pem(pem));
    }
    settings.known_client = oauth::KnownClient{context.text("issuer"), std::move(identity)};
  }
  if (scenario.starts_with("auth/client-credentials")) {
    settings.grant = oauth::Grant::client_credentials;
  } else if (!context.text("idp_id_token").empty()) {
    settings.grant = oauth::Grant::jwt_bearer;
    settings.assertion = [context](oauth::Web& web, const oauth::Discovered& where) {
      return exchange_id_token(context, web, where);
    };
  } else if (const std::string assertion = context.text("valid_jwt"); !assertion.empty()) {
    settings.grant = oauth::Grant::jwt_bearer;
    settings.assertion = [assertion](oauth::Web&, const oauth::Discovered&) { return assertion; };
  }
  return std::make_shared<oauth::Authorizer>(loop, std::move(settings));
}

}  // namespace holdfast::conformance
