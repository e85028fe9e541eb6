#include "mcp/oauth/challenge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace holdfast::mcp::oauth {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(Challenge, ReadsParametersQuotedAndNot) {
  const auto challenges = parse_challenges(
      R"(Bearer realm="a \"b\", c", resource_metadata="https://x/y" , Scope="read  write read",error=insufficient_scope)");
  ASSERT_THAT(challenges, SizeIs(1));
  EXPECT_EQ(challenges[0].scheme, "bearer");
  EXPECT_EQ(challenges[0].parameter("realm"), R"(a "b", c)");
  EXPECT_EQ(challenges[0].parameter("resource_metadata"), "https://x/y");
  EXPECT_EQ(challenges[0].parameter("error"), "insufficient_scope");
  EXPECT_EQ(challenges[0].parameter("missing"), std::nullopt);
  EXPECT_THAT(challenges[0].scopes(), ElementsAre("read", "write"));
}

TEST(Challenge, ReadsSeveralInOneHeader) {
  const auto challenges = parse_challenges(R"(Negotiate, Custom YWJj/==, Basic realm="x", charset="UTF-8", DPoP algs="ES256")");
  ASSERT_THAT(challenges, SizeIs(4));
  EXPECT_EQ(challenges[0].scheme, "negotiate");
  EXPECT_EQ(challenges[1].scheme, "custom");
  EXPECT_THAT(challenges[1].parameters, IsEmpty());
  EXPECT_EQ(challenges[2].parameter("charset"), "UTF-8");
  EXPECT_EQ(challenges[3].parameter("algs"), "ES256");
}

TEST(Challenge, WhatIsBrokenEndsTheReading) {
  EXPECT_THAT(parse_challenges(""), IsEmpty());
  EXPECT_THAT(parse_challenges(" , ,"), IsEmpty());
  EXPECT_THAT(parse_challenges(R"(="x")"), IsEmpty());
  EXPECT_THAT(parse_challenges(R"(realm="x")"), IsEmpty());  // a parameter of nothing
  const auto open_quote = parse_challenges(R"(Bearer scope="a", error="b)");
  ASSERT_THAT(open_quote, SizeIs(1));
  EXPECT_EQ(open_quote[0].parameter("scope"), "a");
  EXPECT_EQ(open_quote[0].parameter("error"), std::nullopt);
  EXPECT_EQ(parse_challenges("Bearer a=\"\\")[0].parameters.size(), 0U);
}

TEST(Challenge, IsCutWhereNobodyMeansWell) {
  const auto challenges = parse_challenges("Bearer a=\"1\", b=\"" + std::string(1 << 20, 'x') + "\", c=\"3\"");
  ASSERT_THAT(challenges, SizeIs(1));
  EXPECT_THAT(challenges[0].parameters, SizeIs(1));
}

TEST(Challenge, OfSeveralHeadersDpopWins) {
  const auto challenge = oauth_challenge({{"content-type", "text/plain"},
                                          {"www-authenticate", "Basic realm=\"x\", Bearer scope=\"a\""},
                                          {"www-authenticate", "DPoP scope=\"b\""},
                                          {"www-authenticate", "Bearer scope=\"c\""}});
  ASSERT_TRUE(challenge);
  EXPECT_EQ(challenge->scheme, "dpop");
  EXPECT_FALSE(oauth_challenge({{"www-authenticate", "Basic realm=\"x\""}}));
}

}  // namespace
}  // namespace holdfast::mcp::oauth
