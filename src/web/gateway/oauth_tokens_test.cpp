// Access tokens of an issuer whose keys are made here.

#include "web/gateway/oauth_tokens.h"

#include "base/crypto/hash.h"
#include "base/crypto/jwt_key.h"
#include "base/run/poll_loop.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace holdfast::web {
namespace {

using testing::HasSubstr;

constexpr Millis kOauthNow = 1'800'000'000'000;
constexpr std::int64_t kSecond = kOauthNow / 1000;
constexpr const char* kIssuer = "https://issuer.example/realm";

OauthSettings settings() {
  OauthSettings chosen;
  chosen.issuer = kIssuer;
  chosen.public_url = "https://holdfast.example";
  return chosen;
}

JsonObject good_claims() {
  return {{"iss", kIssuer},
          {"aud", "https://holdfast.example/mcp"},
          {"sub", "ann"},
          {"exp", kSecond + 300},
          {"scope", "openid read write"}};
}

struct OauthTokensTest : testing::Test {
  OauthTokensTest() {
    resource.set_address("http://127.0.0.1:4747");
    published = {{"one", key}};
    make_gate();
  }
  ~OauthTokensTest() override { pool.close(); }

  void make_gate() {
    gate = std::make_unique<OauthTokens>(
        resource,
        [this]() -> Result<IssuerKeys> {
          ++fetches;
          if (is_down) return fail(ErrorKind::unavailable, "the issuer does not answer");
          JsonArray keys;
          for (const auto& [id, each] : published) {
            JsonObject jwk = each.public_jwk().value();
            jwk["kid"] = id;
            keys.push_back(std::move(jwk));
          }
          return IssuerKeys::read(JsonObject{{"keys", std::move(keys)}});
        },
        loop, pool, clock);
  }

  Result<Identity> admit(const std::string& token) {
    std::optional<Result<Identity>> answer;
    gate->admit(token, [&](Result<Identity> identity) {
      answer = std::move(identity);
      loop.stop();
    });
    while (!answer) loop.run();
    return *answer;
  }

  std::string token(const JsonObject& claims, const SigningKey& with, const std::string& kid = "one",
                    const char* typ = "at+jwt") {
    return with.sign_jwt({{"typ", typ}, {"kid", kid}}, claims).value();
  }
  std::string refusal(const std::string& text) {
    auto answer = admit(text);
    if (answer) return "taken as " + answer->principal;
    EXPECT_EQ(answer.error().kind, ErrorKind::unauthorised) << answer.error().message;
    return answer.error().message;
  }

  SigningKey key = SigningKey::make().value(), stranger = SigningKey::make().value();
  OauthResource resource{settings()};
  ManualClock clock{kOauthNow};
  std::vector<std::pair<std::string, SigningKey>> published;
  std::atomic<int> fetches = 0;
  std::atomic<bool> is_down = false;
  PollLoop loop;
  Pool pool{2};
  std::unique_ptr<OauthTokens> gate;
};

TEST_F(OauthTokensTest, ATokenOfTheIssuerIsItsSubjects) {
  const Identity ann = admit(token(good_claims(), key)).value();
  EXPECT_EQ(ann.principal, std::string(kIssuer) + "|ann");
  EXPECT_EQ(ann.person, "ann");
  EXPECT_EQ(ann.scopes.text(), "read write");
  EXPECT_TRUE(ann.projects.empty());
  EXPECT_EQ(admit(token(good_claims(), key, "one", "JWT")).value(), ann);
  EXPECT_EQ(fetches, 1) << "keys are kept";
}

TEST_F(OauthTokensTest, ClaimsThatDoNotHoldAreRefusedByName) {
  const auto with = [&](std::string_view name, const Json& value) {
    JsonObject claims = good_claims();
    if (value.is_null())
      claims.erase(name);
    else
      claims[name] = value;
    return refusal(token(claims, key));
  };
  EXPECT_THAT(with("iss", "https://issuer.example"), HasSubstr("another issuer"));
  EXPECT_THAT(with("iss", nullptr), HasSubstr("another issuer"));
  EXPECT_THAT(with("aud", "https://other.example/mcp"), HasSubstr("another audience"));
  EXPECT_THAT(with("aud", nullptr), HasSubstr("another audience"));
  EXPECT_THAT(with("aud", JsonArray{"https://other.example"}), HasSubstr("another audience"));
  EXPECT_THAT(with("exp", kSecond - 61), HasSubstr("expired"));
  EXPECT_THAT(with("exp", nullptr), HasSubstr("when it expires"));
  EXPECT_THAT(with("exp", "soon"), HasSubstr("when it expires"));
  EXPECT_THAT(with("exp", 1e300), HasSubstr("when it expires"));
  EXPECT_THAT(with("nbf", kSecond + 61), HasSubstr("not valid yet"));
  EXPECT_THAT(with("sub", nullptr), HasSubstr("no subject"));
  EXPECT_THAT(with("sub", "a\nb"), HasSubstr("no subject"));
  EXPECT_THAT(with("cnf", JsonObject{{"jkt", "x"}}), HasSubstr("bound to a key"));
  EXPECT_EQ(fetches, 0) << "none of this needs a key";
  JsonObject several = good_claims();
  several["aud"] = JsonArray{"https://other.example", "https://holdfast.example/mcp"};
  several["exp"] = kSecond - 59;  // clocks differ
  several["nbf"] = kSecond + 59;
  EXPECT_TRUE(admit(token(several, key)));
}

TEST_F(OauthTokensTest, OnlySignaturesOfTheIssuersKeysCount) {
  EXPECT_THAT(refusal(token(good_claims(), stranger)), HasSubstr("signature is wrong"));
  EXPECT_THAT(refusal(token(good_claims(), key, "unknown")), HasSubstr("does not publish"));
  std::string cut = token(good_claims(), key);
  EXPECT_THAT(refusal(cut.substr(0, cut.rfind('.') + 1)), HasSubstr("signature is wrong"));
  // Other claims under a good signature.
  JsonObject admin = good_claims();
  admin["scope"] = "admin";
  const std::string good = token(good_claims(), key), wanted = token(admin, stranger);
  EXPECT_THAT(refusal(wanted.substr(0, wanted.rfind('.')) + good.substr(good.rfind('.'))), HasSubstr("signature is wrong"));
}

TEST_F(OauthTokensTest, TheHeaderDoesNotChooseTheAlgorithm) {
  const auto made = [&](const JsonObject& header, const std::string& signature) {
    return to_base64url(to_json(header)) + "." + to_base64url(to_json(good_claims())) + "." + to_base64url(signature);
  };
  EXPECT_THAT(refusal(made({{"alg", "none"}, {"typ", "at+jwt"}, {"kid", "one"}}, "")), HasSubstr("not signed with"));
  EXPECT_THAT(refusal(made({{"typ", "at+jwt"}}, "")), HasSubstr("not signed with"));
  // The public key taken for a shared secret.
  const JsonObject header{{"alg", "HS256"}, {"typ", "at+jwt"}, {"kid", "one"}};
  const std::string bytes = to_base64url(to_json(header)) + "." + to_base64url(to_json(good_claims()));
  const Digest mac = hmac_sha256(to_json(key.public_jwk().value()), bytes);
  EXPECT_THAT(refusal(made(header, std::string(mac.begin(), mac.end()))), HasSubstr("not signed with"));
  // An algorithm that is taken, but not that of the key.
  EXPECT_THAT(refusal(made({{"alg", "RS256"}, {"typ", "at+jwt"}, {"kid", "one"}}, "x")), HasSubstr("does not publish"));
}

TEST_F(OauthTokensTest, OnlyAccessTokensOfAReadableForm) {
  EXPECT_THAT(refusal(token(good_claims(), key, "one", "logout+jwt")), HasSubstr("type"));
  EXPECT_THAT(refusal(key.sign_jwt({{"kid", "one"}}, good_claims()).value()), HasSubstr("type"));
  EXPECT_THAT(refusal(key.sign_jwt({{"typ", "at+jwt"}, {"kid", "one"}, {"crit", JsonArray{"b64"}}}, good_claims()).value()),
              HasSubstr("extensions"));
  for (const char* text : {"a.b.c", "..", "e30.e30.", "e30.W10.AA", "e30=.e30.AA"}) EXPECT_THAT(refusal(text), HasSubstr("not"));
  EXPECT_THAT(refusal(std::string(kMaxJwtBytes + 1, 'a')), HasSubstr("too long"));
  EXPECT_TRUE(looks_like_jwt("a.b.c"));
  EXPECT_FALSE(looks_like_jwt("hf_0123456789"));
}

TEST_F(OauthTokensTest, ANewKeyIsFetchedForButNotForEveryInventedName) {
  EXPECT_TRUE(admit(token(good_claims(), key)));
  for (int i = 0; i < 5; ++i) refusal(token(good_claims(), stranger, "made-up-" + std::to_string(i)));
  EXPECT_EQ(fetches, 1) << "the keys were just fetched";
  make_gate();
  published = {{"one", key}, {"two", stranger}};
  EXPECT_TRUE(admit(token(good_claims(), stranger, "two")));
  EXPECT_EQ(fetches, 2);
}

TEST_F(OauthTokensTest, AnIssuerThatIsDownIsNobodysFault) {
  is_down = true;
  EXPECT_EQ(admit(token(good_claims(), key)).error().kind, ErrorKind::unavailable);
  EXPECT_EQ(admit(token(good_claims(), key)).error().kind, ErrorKind::unavailable);
  EXPECT_EQ(fetches, 1) << "it is left in peace for a while";
}

TEST_F(OauthTokensTest, ATokenThatWasBelievedStillExpires) {
  const std::string text = token(good_claims(), key);
  EXPECT_TRUE(admit(text));
  clock.advance((300 + 60) * 1000);
  EXPECT_THAT(refusal(text), HasSubstr("expired"));
}

TEST_F(OauthTokensTest, ScopesAreThoseOfOursAlone) {
  JwtRules rules{kIssuer, "x", "hf:", {}};
  AccessJwt jwt;
  const auto scopes = [&](const JsonObject& claims) {
    jwt.claims = claims;
    return identity_of(jwt, rules).value().scopes.text();
  };
  EXPECT_EQ(scopes({{"scope", "hf:read profile admin"}}), "read");
  EXPECT_EQ(scopes({{"scope", "hf:write hf:unknown"}}), "read write");
  EXPECT_EQ(scopes({{"scp", JsonArray{"hf:review", 7}}}), "read review");
  EXPECT_EQ(scopes({{"scp", "hf:read"}}), "read");
  EXPECT_EQ(scopes({{"sub", "ann"}}), "");
}

TEST_F(OauthTokensTest, ATeamIsNamedByItsClaimAndByNothingElse) {
  JwtRules rules{kIssuer, "x", {}, "team"};
  AccessJwt jwt;
  jwt.claims = {{"sub", "ann"}, {"team", "red"}};
  EXPECT_EQ(identity_of(jwt, rules).value().principal, "team:red");
  EXPECT_EQ(identity_of(jwt, rules).value().person, "ann");
  jwt.claims = {{"sub", "ann"}};
  EXPECT_EQ(identity_of(jwt, rules).value().principal, std::string(kIssuer) + "|ann");
  for (const Json& odd : std::vector<Json>{Json("a b"), Json(""), Json(JsonArray{"red"}), Json(7), Json("x|y")}) {
    jwt.claims = {{"sub", "ann"}, {"team", odd}};
    EXPECT_FALSE(identity_of(jwt, rules)) << to_json(odd);
  }
}

TEST(IssuerKeys, AreReadAsFarAsTheyAreUsable) {
  JsonObject good = SigningKey::make().value().public_jwk().value(), secret = good;
  good["kid"] = "a";
  secret["kid"] = "b";
  secret["d"] = "AAAA";
  const IssuerKeys keys =
      IssuerKeys::read(JsonObject{{"keys", JsonArray{good, secret, JsonObject{{"kty", "oct"}, {"k", "AA"}}, 7}}}).value();
  EXPECT_EQ(keys.count(), 1U);
  EXPECT_TRUE(keys.find("a", "ES256"));
  EXPECT_TRUE(keys.find("", "ES256"));
  EXPECT_FALSE(keys.find("a", "RS256"));
  EXPECT_FALSE(keys.find("b", "ES256"));
  EXPECT_FALSE(IssuerKeys::read(JsonArray{}));
  EXPECT_FALSE(IssuerKeys::read(JsonObject{{"keys", "none"}}));
}

TEST(OauthSettings, AreCheckedBeforeTheyAreUsed) {
  OauthSettings chosen = settings();
  EXPECT_TRUE(chosen.check());
  chosen.jwks_uri = "http://issuer.example/keys";
  EXPECT_EQ(chosen.check().error().kind, ErrorKind::refused) << "keys over plain http";
  chosen = settings();
  chosen.issuer = "http://issuer.example";
  EXPECT_FALSE(chosen.check());
  chosen.issuer = "http://127.0.0.1:9";
  EXPECT_TRUE(chosen.check()) << "on this machine";
  chosen.scope_prefix = "a b\"";
  EXPECT_FALSE(chosen.check());
}

}  // namespace
}  // namespace holdfast::web
