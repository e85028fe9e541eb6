#include "mcp/oauth/metadata.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace holdfast::mcp::oauth {
namespace {

using ::testing::ElementsAre;

HttpUrl url(std::string_view text) {
  return parse_http_url(text).value();
}
Json json_of_text(std::string_view text) {
  return parse_json(text).value();
}
ErrorKind kind_of(const auto& result) {
  return result ? ErrorKind::internal : result.error().kind;
}

TEST(HttpUrl, IsTakenApart) {
  const HttpUrl parts = url("HTTPS://Example.COM:8443/a/b?c=d");
  EXPECT_EQ(parts.origin(), "https://example.com:8443");
  EXPECT_EQ(parts.path, "/a/b");
  EXPECT_EQ(parts.query, "c=d");
  EXPECT_EQ(parts.text(), "https://example.com:8443/a/b?c=d");
  EXPECT_EQ(url("https://x:443").text(), "https://x");
  EXPECT_EQ(url("http://[::1]:80/").text(), "http://[::1]/");
}

TEST(HttpUrl, RefusesWhatCouldMeanTwoThings) {
  for (const char* text : {"", "x", "ftp://x/", "https://", "https:///a", "https://u:p@x/", "https://x/#f", "https://x y/",
                           "https://x:0/", "https://x:65536/", "https://x:12a/", "https://x\\@y/", "https://[::1", "https://[x]/",
                           "https://ex\xC3\xA4mple/", "https://a,b/", "javascript://x/%0aalert(1)"})
    EXPECT_FALSE(parse_http_url(text)) << text;
}

TEST(HttpUrl, KnowsThisMachine) {
  for (const char* text : {"http://localhost:1/", "http://127.0.0.1/", "http://127.8.9.1/", "http://[::1]/"})
    EXPECT_TRUE(url(text).is_this_machine()) << text;
  for (const char* text : {"http://localhost.evil.com/", "http://127.0.0.1.evil.com/", "http://128.0.0.1/", "http://[::2]/"})
    EXPECT_FALSE(url(text).is_this_machine()) << text;
}

TEST(HttpUrl, PlainHttpIsForThisMachineOnly) {
  const HttpUrl here = url("http://127.0.0.1:1/mcp"), away = url("https://mcp.example.com/mcp");
  EXPECT_TRUE(parse_peer_url("http://localhost:9/x", here));
  EXPECT_TRUE(parse_peer_url("https://as.example.com", here));
  EXPECT_EQ(kind_of(parse_peer_url("http://as.example.com", here)), ErrorKind::refused);
  EXPECT_EQ(kind_of(parse_peer_url("http://localhost:9/x", away)), ErrorKind::refused);
}

TEST(Form, ComesBack) {
  const Fields fields{{"a b", "c&d=e"}, {"f", ""}, {"g", "\xC3\xA4+%"}};
  EXPECT_EQ(read_form(write_form(fields)).value(), fields);
  EXPECT_EQ(read_form("a+b=c+d&&e").value(), (Fields{{"a b", "c d"}, {"e", ""}}));
  EXPECT_FALSE(read_form("a=%G0"));
}

TEST(Metadata, PlacesInOrder) {
  EXPECT_THAT(resource_metadata_urls(url("https://x/mcp/a")), ElementsAre("https://x/.well-known/oauth-protected-resource/mcp/a",
                                                                          "https://x/.well-known/oauth-protected-resource"));
  EXPECT_THAT(resource_metadata_urls(url("https://x/")), ElementsAre("https://x/.well-known/oauth-protected-resource"));
  EXPECT_THAT(net::issuer_metadata_urls(url("https://x/t/")),
              ElementsAre("https://x/.well-known/oauth-authorization-server/t", "https://x/.well-known/openid-configuration/t",
                          "https://x/t/.well-known/openid-configuration"));
  EXPECT_THAT(net::issuer_metadata_urls(url("https://x")),
              ElementsAre("https://x/.well-known/oauth-authorization-server", "https://x/.well-known/openid-configuration"));
}

TEST(Metadata, AResourceMustBeTheServerOrAboveIt) {
  const HttpUrl server = url("https://x.com/mcp");
  const auto read = [&](std::string_view resource) {
    return read_resource_metadata(JsonObject{{"resource", resource}, {"authorization_servers", JsonArray{Json("https://as")}}},
                                  server);
  };
  for (const char* good : {"https://x.com/mcp", "https://x.com", "https://x.com/", "https://x.com:443/mcp"})
    EXPECT_EQ(read(good).value().resource, good);
  for (const char* bad : {"https://evil.com/mcp", "http://x.com/mcp", "https://x.com/mc", "https://x.com/mcp/more",
                          "https://x.com.evil.com", "https://x.com:444/mcp", "nonsense", ""})
    EXPECT_EQ(kind_of(read(bad)), ErrorKind::refused) << bad;
}

TEST(Metadata, AResourceWithoutItsMembersIsNone) {
  const HttpUrl server = url("https://x/mcp");
  EXPECT_EQ(kind_of(read_resource_metadata(json_of_text("[]"), server)), ErrorKind::corrupt);
  EXPECT_EQ(kind_of(read_resource_metadata(json_of_text(R"({"resource":5})"), server)), ErrorKind::corrupt);
  EXPECT_EQ(kind_of(read_resource_metadata(json_of_text(R"({"resource":"https://x/mcp"})"), server)), ErrorKind::refused);
  EXPECT_EQ(
      kind_of(read_resource_metadata(json_of_text(R"({"resource":"https://x/mcp","authorization_servers":[1,null]})"), server)),
      ErrorKind::refused);
}

TEST(Metadata, EndpointsOfAServerAreJudged) {
  const HttpUrl server = url("https://x/mcp");
  const auto metadata = read_server_metadata(
      json_of_text(
          R"({"issuer":"https://as","token_endpoint":"https://other.com/token","code_challenge_methods_supported":["plain","S256"],
               "authorization_response_iss_parameter_supported":true,"grant_types_supported":["authorization_code"]})"),
      server);
  ASSERT_TRUE(metadata);
  EXPECT_TRUE(metadata->returns_issuer);
  EXPECT_FALSE(metadata->takes_metadata_urls);
  EXPECT_TRUE(metadata->offers_grant("authorization_code"));
  EXPECT_FALSE(metadata->offers_grant("refresh_token"));
  EXPECT_EQ(kind_of(read_server_metadata(json_of_text(R"({"issuer":"https://as"})"), server)), ErrorKind::corrupt);
  EXPECT_EQ(kind_of(read_server_metadata(json_of_text(R"({"token_endpoint":"https://as/t"})"), server)), ErrorKind::corrupt);
  EXPECT_EQ(kind_of(read_server_metadata(json_of_text(R"({"issuer":"https://as","token_endpoint":"http://as/t"})"), server)),
            ErrorKind::refused);
  EXPECT_EQ(
      kind_of(read_server_metadata(json_of_text(R"({"issuer":"https://as","token_endpoint":"http://127.0.0.1/t"})"), server)),
      ErrorKind::refused);
}

}  // namespace
}  // namespace holdfast::mcp::oauth
