#include "mcp/oauth/token_endpoint.h"

#include "base/crypto/hash.h"
#include "mcp/oauth/test_peer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace holdfast::mcp::oauth {
namespace {

ServerMetadata server_with(std::vector<std::string> methods) {
  ServerMetadata metadata;
  metadata.issuer = "https://as.com";
  metadata.token_endpoint = kTokenPlace;
  metadata.auth_methods = std::move(methods);
  return metadata;
}

std::string header_of(const net::HttpCall& call, std::string_view name) {
  for (const auto& [key, value] : call.headers)
    if (key == name) return value;
  return {};
}

// Header and claims of a JWT.
std::pair<Json, Json> read_jwt(const std::string& jwt) {
  const std::size_t first = jwt.find('.'), second = jwt.rfind('.');
  return {parse_json(from_base64url(jwt.substr(0, first)).value()).value(),
          parse_json(from_base64url(jwt.substr(first + 1, second - first - 1)).value()).value()};
}

TEST(TokenEndpoint, TheBestThatBothCanDoIsChosen) {
  const ClientIdentity open{"me", "", {}, ""}, secret{"me", "s", {}, ""}, key{"me", "", SigningKey::make().value(), ""};
  EXPECT_EQ(choose_auth_method(open, server_with({"client_secret_basic"})).value(), "none");
  EXPECT_EQ(choose_auth_method(secret, server_with({})).value(), "client_secret_basic");
  EXPECT_EQ(choose_auth_method(secret, server_with({"client_secret_post", "client_secret_basic"})).value(),
            "client_secret_basic");
  EXPECT_EQ(choose_auth_method(secret, server_with({"client_secret_post"})).value(), "client_secret_post");
  EXPECT_EQ(choose_auth_method(secret, server_with({"none"})).value(), "none");
  EXPECT_EQ(choose_auth_method(key, server_with({"private_key_jwt"})).value(), "private_key_jwt");
  EXPECT_EQ(choose_auth_method(secret, server_with({"private_key_jwt"})).error().kind, ErrorKind::refused);
  EXPECT_EQ(choose_auth_method({"me", "s", {}, "client_secret_post"}, server_with({"client_secret_basic"})).value(),
            "client_secret_post");
}

TEST(TokenEndpoint, AnAssertionSaysWhoForWhomAndHowLong) {
  TestPeer peer;
  peer.serve(kTokenPlace, R"({"access_token":"a","token_type":"bearer"})");
  Web web(peer, {});
  const ClientIdentity client{"me", "", SigningKey::make().value(), ""};
  ASSERT_TRUE(
      request_token(web, server_with({"private_key_jwt"}), client, {{{"grant_type", "client_credentials"}}, {}, {}}, 1'000'000));
  auto form = form_of(peer.seen.at(0));
  EXPECT_EQ(form["client_assertion_type"], "urn:ietf:params:oauth:client-assertion-type:jwt-bearer");
  const auto [header, claims] = read_jwt(form["client_assertion"]);
  EXPECT_EQ(header.at("alg").as_string(), "ES256");
  EXPECT_EQ(claims.at("iss").as_string(), "me");
  EXPECT_EQ(claims.at("sub").as_string(), "me");
  EXPECT_EQ(claims.at("aud").as_string(), "https://as.com");
  EXPECT_EQ(claims.at("iat").as_int64(), 1000);
  EXPECT_EQ(claims.at("exp").as_int64(), 1120);
  EXPECT_FALSE(claims.at("jti").as_string().empty());
}

TEST(TokenEndpoint, ANonceIsTakenOnce) {
  TestPeer peer;
  std::string accepted = "n1";
  peer.pages[kTokenPlace] = [&](const net::HttpCall& call) {
    const auto claims = read_jwt(header_of(call, "DPoP")).second;
    const Json* nonce = find(claims, "nonce");
    if (!nonce || view(nonce->as_string()) != accepted)
      return net::HttpAnswer{400, {{"dpop-nonce", "n1"}}, R"({"error":"use_dpop_nonce"})"};
    return net::HttpAnswer{200, {}, R"({"access_token":"a","token_type":"DPoP"})"};
  };
  Web web(peer, {});
  const SigningKey key = SigningKey::make().value();
  const ClientIdentity client{"me", "", {}, ""};
  const TokenRequest request{{{"grant_type", "x"}}, {}, key};
  const auto token = request_token(web, server_with({}), client, request, 0);
  ASSERT_TRUE(token) << token.error().message;
  EXPECT_EQ(token->dpop_key, key.to_pem().value());
  EXPECT_EQ(peer.seen.size(), 2U);
  accepted = "never";
  EXPECT_EQ(request_token(web, server_with({}), client, request, 0).error().code, "use_dpop_nonce");
  EXPECT_EQ(peer.seen.size(), 4U);
}

TEST(TokenEndpoint, ATokenBoundToNoKeyOfOursIsNone) {
  TestPeer peer;
  peer.serve(kTokenPlace, R"({"access_token":"a","token_type":"DPoP"})");
  Web web(peer, {});
  EXPECT_EQ(request_token(web, server_with({}), {"me", "", {}, ""}, {}, 0).error().kind, ErrorKind::corrupt);
}

TEST(Dpop, AProofIsForOneRequest) {
  const SigningKey key = SigningKey::make().value();
  const auto [header, claims] = read_jwt(make_proof(key, {"POST", "https://x.com/mcp?a=b", "token", "n"}, 5'000).value());
  EXPECT_EQ(header.at("typ").as_string(), "dpop+jwt");
  EXPECT_EQ(header.at("jwk").as_object(), key.public_jwk().value());
  EXPECT_EQ(claims.at("htm").as_string(), "POST");
  EXPECT_EQ(claims.at("htu").as_string(), "https://x.com/mcp");
  EXPECT_EQ(claims.at("iat").as_int64(), 5);
  EXPECT_EQ(claims.at("nonce").as_string(), "n");
  EXPECT_EQ(claims.at("ath").as_string(), to_base64url(bytes_of(sha256("token"))));
  const auto other = read_jwt(make_proof(key, {"POST", "https://x.com/mcp", "", ""}, 5'000).value()).second;
  EXPECT_NE(other.at("jti"), claims.at("jti"));
  EXPECT_EQ(find(other, "ath"), nullptr);
}

}  // namespace
}  // namespace holdfast::mcp::oauth
