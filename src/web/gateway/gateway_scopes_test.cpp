// What the gateway lets a login or a token do: scopes of pages, projects, the challenges of OAuth.

#include "session/kinds.h"
#include "web/gateway/logins.h"
#include "web/gateway/test_gateway.h"

#include <fmt/format.h>

namespace holdfast::web {
namespace {

using operations::AccessTokens;
using operations::grant_for;
using operations::TokenGrant;

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

struct GatewayScopesTest : GatewayTest {
  std::string login_with(const std::string& name, Scopes scopes, std::vector<std::string> projects = {},
                         const std::string& team = {}) {
    TokenGrant grant = grant_for(name);
    grant.scopes = scopes;
    grant.projects = std::move(projects);
    grant.team = team;
    EXPECT_TRUE(AccessTokens(*store).add(grant));
    return log_in(name);
  }

  void add(const std::string& id, const std::string& principal, const std::string& root) {
    session::SessionRecord record;
    record.id = id;
    record.kind = session::kReasoning;
    record.status = "active";
    record.title = "title of " + id;
    record.principal = principal;
    record.root_uri = root;
    ASSERT_TRUE(store->write([&](session::Transaction& transaction) { return transaction.create(record); }));
  }

  // As a browser sends it from a page of this login.
  net::HttpResponse post(const std::string& path, const std::string& cookie, const std::string& fields) {
    const std::string token = make_form_token(store->secret(), cookie.substr(cookie.find('=') + 1));
    return ask("POST", path,
               {{"Cookie", cookie}, {"Origin", "http://127.0.0.1:4747"}, {"Content-Type", "application/x-www-form-urlencoded"}},
               fmt::format("form_token={}&{}", token, fields));
  }
};

TEST_F(GatewayScopesTest, ALoginSeesTheSessionsOfItsPrincipal) {
  add("s-ann-01", "ann", {});
  add("s-local-1", "local", {});
  add("s-team-01", "team:red", {});
  const std::string ann = login_with("ann", {Scope::read}), bob = login_with("bob", {Scope::read}, {}, "red");
  EXPECT_THAT(ask("GET", "/", {{"Cookie", ann}}).body,
              AllOf(HasSubstr("s-ann-01"), Not(HasSubstr("s-local-1")), Not(HasSubstr("s-team-01"))));
  EXPECT_THAT(ask("GET", "/", {{"Cookie", bob}}).body,
              AllOf(HasSubstr("s-team-01"), Not(HasSubstr("s-ann-01")), Not(HasSubstr("s-local-1"))));
  EXPECT_EQ(ask("GET", "/sessions/s-local-1", {{"Cookie", ann}}).status, 404);
  EXPECT_EQ(ask("GET", "/sessions/s-ann-01", {{"Cookie", ann}}).status, 200);
}

TEST_F(GatewayScopesTest, ALoginWithProjectsSeesThoseAlone) {
  add("s-inside-1", "ann", "file:///a");
  add("s-outside1", "ann", "file:///b");
  add("s-rootless", "ann", {});
  const std::string cookie = login_with("ann", {Scope::write}, {"file:///a"});
  EXPECT_THAT(ask("GET", "/", {{"Cookie", cookie}}).body,
              AllOf(HasSubstr("s-inside-1"), Not(HasSubstr("s-outside1")), Not(HasSubstr("s-rootless"))));
  EXPECT_EQ(ask("GET", "/sessions/s-inside-1", {{"Cookie", cookie}}).status, 200);
  const auto hidden = ask("GET", "/sessions/s-outside1", {{"Cookie", cookie}});
  EXPECT_EQ(hidden.status, 404);
  EXPECT_EQ(post("/sessions/s-outside1/do/sessions-pin", cookie, "").status, 404);
}

TEST_F(GatewayScopesTest, PagesNeedTheirScopes) {
  add("s-ann-01", "ann", {});
  const std::string reader = login_with("ann", {Scope::read});
  EXPECT_EQ(ask("GET", "/", {{"Cookie", reader}}).status, 200);
  for (const char* path :
       {"/review/decide", "/review/comment", "/sessions/s-ann-01/do/sessions-pin", "/notices/acknowledge", "/storage/verify"}) {
    const auto refused = post(path, reader, "id=x");
    EXPECT_EQ(refused.status, 403) << path;
    EXPECT_THAT(refused.body, HasSubstr("needs the scope")) << path;
  }
  EXPECT_EQ(ask("GET", "/storage", {{"Cookie", reader}}).status, 403);
  EXPECT_EQ(ask("GET", "/storage", {{"Cookie", log_in()}}).status, 200);
  EXPECT_EQ(post("/theme", reader, "theme=dark").status, 303) << "what is the browser's own needs no more than a login";
}

TEST_F(GatewayScopesTest, ACookieStopsWithItsToken) {
  const std::string cookie = login_with("ann", {Scope::read});
  EXPECT_EQ(ask("GET", "/", {{"Cookie", cookie}}).status, 200);
  ASSERT_TRUE(AccessTokens(*store).revoke("ann"));
  EXPECT_EQ(ask("GET", "/", {{"Cookie", cookie}}).status, 401);
}

TEST_F(GatewayScopesTest, WithoutAnIssuerNothingIsSaidOfOne) {
  EXPECT_EQ(ask("GET", "/.well-known/oauth-protected-resource").status, 404);
  EXPECT_EQ(header_of(ask("POST", "/mcp"), "WWW-Authenticate"), "Bearer");
}

TEST_F(GatewayScopesTest, WithAnIssuerClientsAreToldWhereToAsk) {
  oauth.issuer = "https://issuer.example";
  oauth.public_url = "https://holdfast.example/";
  oauth.scope_prefix = "hf:";
  make_gateway(true);
  const std::string where = "resource_metadata=\"https://holdfast.example/.well-known/oauth-protected-resource/mcp\"";
  EXPECT_EQ(header_of(ask("POST", "/mcp"), "WWW-Authenticate"), "Bearer scope=\"hf:read hf:write\", " + where);
  const auto wrong = ask("POST", "/mcp", {{"Authorization", "Bearer hf_wrong"}});
  EXPECT_EQ(wrong.status, 401);
  EXPECT_EQ(header_of(wrong, "WWW-Authenticate"),
            "Bearer error=\"invalid_token\", error_description=\"this token is not valid\", " + where);
  EXPECT_EQ(gateway->scope_challenge(Scope::write), "Bearer error=\"insufficient_scope\", scope=\"hf:write\", " + where);
  for (const char* path : {"/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp"}) {
    const auto answer = ask("GET", path);
    EXPECT_EQ(answer.status, 200);
    const Json document = parse_json(answer.body).value();
    EXPECT_EQ(document.at("resource"), Json("https://holdfast.example/mcp"));
    EXPECT_EQ(document.at("authorization_servers"), Json(JsonArray{"https://issuer.example"}));
    EXPECT_EQ(document.at("scopes_supported"), Json(JsonArray{"hf:read", "hf:write", "hf:review"}));
  }
  EXPECT_EQ(ask("POST", "/.well-known/oauth-protected-resource").status, 405);
  EXPECT_EQ(ask("GET", "/.well-known/oauth-protected-resource/other").status, 404);
  EXPECT_EQ(ask("POST", "/mcp", {{"Authorization", "Bearer " + AccessTokens(*store).add(grant_for("ann")).value()}}).body,
            "mcp ann")
      << "our own tokens beside those of the issuer";
}

}  // namespace
}  // namespace holdfast::web
