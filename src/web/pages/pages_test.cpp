#include "web/pages/pages.h"

#include "web/gateway/fields.h"
#include "web/gateway/logins.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace holdfast::web {
namespace {

PageHandler answering(std::string text) {
  return [text](const PageRequest&) -> Result<net::HttpResponse> { return net::HttpResponse{200, {}, text}; };
}

struct PagesTest : testing::Test {
  PagesTest() {
    pages.get("/", answering("home"));
    pages.get("/sessions/{}", answering("session"));
    pages.get("/sessions/{}/graph", answering("graph"));
    pages.post("/sessions/{}/pin", answering("pinned"));
  }
  // "404", "405 GET, HEAD", or what the handler says with the parts it was given.
  std::string at(std::string_view method, std::string_view path) {
    Pages::Match match;
    if (!pages.find(method, path, match)) return "404";
    if (!match.handler) return "405 " + match.allow;
    std::string text = (*match.handler)({}).value().body;
    for (const std::string& part : match.parts) text += "|" + part;
    return text;
  }
  Pages pages;
};

TEST_F(PagesTest, APatternTakesParts) {
  EXPECT_EQ(at("GET", "/"), "home");
  EXPECT_EQ(at("HEAD", "/"), "home");
  EXPECT_EQ(at("GET", "/sessions/4f2a"), "session|4f2a");
  EXPECT_EQ(at("GET", "/sessions/a%2Fb%20c"), "session|a/b c");
  EXPECT_EQ(at("GET", "/sessions/4f2a/graph"), "graph|4f2a");
  EXPECT_EQ(at("POST", "/sessions/4f2a/pin"), "pinned|4f2a");
}

TEST_F(PagesTest, WhatIsNotThereAndWhatIsOnlyThereOtherwise) {
  for (const char* path : {"", "x", "//", "/sessions", "/sessions/", "/sessions/%zz", "/sessions/a/b/c", "/sessions//graph"})
    EXPECT_EQ(at("GET", path), "404") << path;
  EXPECT_EQ(at("POST", "/"), "405 GET, HEAD");
  EXPECT_EQ(at("GET", "/sessions/4f2a/pin"), "405 POST");
  EXPECT_EQ(at("DELETE", "/sessions/4f2a"), "405 GET, HEAD");
}

TEST(Fields, AreDecodedAndWrittenAgain) {
  const Fields fields = Fields::parse("q=two+words&kind=thread&kind=run&empty=&=nameless&bad=%zz&%C3%A4=%26%3D&flag");
  EXPECT_EQ(fields.get("q"), "two words");
  EXPECT_THAT(fields.all("kind"), testing::ElementsAre("thread", "run"));
  EXPECT_TRUE(fields.has("empty") && fields.has("flag"));
  EXPECT_FALSE(fields.has("bad") || fields.has(""));
  EXPECT_EQ(fields.get("ä"), "&=");
  EXPECT_EQ(Fields::parse("a=1&b=2").with("b", "x y").with("a", "").with("c", "3").encode(), "b=x%20y&c=3");
  EXPECT_EQ(Fields::parse(fields.encode()).encode(), fields.encode());
}

TEST(Fields, HaveALimit) {
  std::string many;
  for (int i = 0; i < 5'000; ++i) many += "a=1&";
  EXPECT_EQ(Fields::parse(many).all("a").size(), Fields::kMaxFields);
}

TEST(FormToken, BelongsToOneLoginOfOneStore) {
  const std::string token = make_form_token("secret", "cookie");
  EXPECT_TRUE(form_token_fits("secret", "cookie", token));
  EXPECT_FALSE(form_token_fits("secret", "other", token));
  EXPECT_FALSE(form_token_fits("other", "cookie", token));
  EXPECT_FALSE(form_token_fits("secret", "cookie", ""));
}

}  // namespace
}  // namespace holdfast::web
