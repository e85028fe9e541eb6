#include "mcp/oauth/flow.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace holdfast::mcp::oauth {
namespace {

ServerMetadata authorization_server() {
  ServerMetadata metadata;
  metadata.issuer = "https://as";
  metadata.authorization_endpoint = "https://as/authorize?tenant=1";
  metadata.challenge_methods = {"S256"};
  return metadata;
}
AuthorizationAsk ask() {
  return {"me", "http://127.0.0.1:1/callback", "https://x/mcp", {"read", "write"}};
}
std::map<std::string, std::string> query_of(const std::string& text) {
  const Fields fields = read_form(parse_http_url(text).value().query).value();
  return {fields.begin(), fields.end()};
}

TEST(AuthorizationCode, ChallengeOfTheStandard) {  // RFC 7636 appendix B
  EXPECT_EQ(pkce_challenge("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"), "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM");
}

TEST(AuthorizationCode, RequestSaysEverything) {
  const auto request = make_authorization_request(authorization_server(), ask()).value();
  auto query = query_of(request.url);
  EXPECT_EQ(query["tenant"], "1");
  EXPECT_EQ(query["response_type"], "code");
  EXPECT_EQ(query["client_id"], "me");
  EXPECT_EQ(query["redirect_uri"], "http://127.0.0.1:1/callback");
  EXPECT_EQ(query["resource"], "https://x/mcp");
  EXPECT_EQ(query["scope"], "read write");
  EXPECT_EQ(query["state"], request.state);
  EXPECT_EQ(query["code_challenge"], pkce_challenge(request.verifier));
  EXPECT_EQ(query["code_challenge_method"], "S256");
  EXPECT_EQ(request.verifier.size(), 43U);
  const auto other = make_authorization_request(authorization_server(), ask()).value();
  EXPECT_NE(other.state, request.state);
  EXPECT_NE(other.verifier, request.verifier);
}

TEST(AuthorizationCode, WithoutScopesNoneAreNamed) {
  AuthorizationAsk nothing = ask();
  nothing.scopes.clear();
  EXPECT_FALSE(query_of(make_authorization_request(authorization_server(), nothing).value().url).contains("scope"));
}

TEST(AuthorizationCode, ServersWithoutS256AreRefused) {
  for (const std::vector<std::string>& methods : {std::vector<std::string>{}, {"plain"}}) {
    ServerMetadata weak = authorization_server();
    weak.challenge_methods = methods;
    EXPECT_EQ(make_authorization_request(weak, ask()).error().kind, ErrorKind::refused);
  }
}

struct Response {
  const char* what;
  bool promised;  // the server says that it names itself
  Fields fields;
  bool good;
};

TEST(AuthorizationCode, ResponsesAreJudged) {
  const AuthorizationRequest request{"", "s", "v"};
  const std::vector<Response> responses{
      {"plain", false, {{"code", "c"}, {"state", "s"}}, true},
      {"named", true, {{"code", "c"}, {"state", "s"}, {"iss", "https://as"}}, true},
      {"named without a promise", false, {{"code", "c"}, {"state", "s"}, {"iss", "https://as"}}, true},
      {"promise not kept", true, {{"code", "c"}, {"state", "s"}}, false},
      {"another issuer", true, {{"code", "c"}, {"state", "s"}, {"iss", "https://evil"}}, false},
      {"another issuer without a promise", false, {{"code", "c"}, {"state", "s"}, {"iss", "https://evil"}}, false},
      {"almost the issuer", true, {{"code", "c"}, {"state", "s"}, {"iss", "https://as/"}}, false},
      {"issuer twice", true, {{"code", "c"}, {"state", "s"}, {"iss", "https://as"}, {"iss", "https://as"}}, false},
      {"code twice", false, {{"code", "c"}, {"code", "d"}, {"state", "s"}}, false},
      {"another state", false, {{"code", "c"}, {"state", "t"}}, false},
      {"no state", false, {{"code", "c"}}, false},
      {"no code", false, {{"state", "s"}}, false},
      {"an error", false, {{"error", "access_denied"}, {"code", "c"}, {"state", "s"}}, false},
  };
  for (const Response& response : responses) {
    ServerMetadata metadata = authorization_server();
    metadata.returns_issuer = response.promised;
    const auto code = read_authorization_response(metadata, request, response.fields);
    EXPECT_EQ(code.has_value(), response.good) << response.what;
    EXPECT_EQ(code.value_or("c"), "c");
  }
  EXPECT_EQ(
      read_authorization_response(authorization_server(), request, {{"error", "access_denied"}, {"state", "s"}}).error().code,
      "access_denied");
}

}  // namespace
}  // namespace holdfast::mcp::oauth
