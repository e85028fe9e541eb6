#include "mcp/oauth/token.h"

#include "base/files/test_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/stat.h>

#include <fstream>

namespace holdfast::mcp::oauth {
namespace {

using ::testing::ElementsAre;

Json token_answer(std::string_view text) {
  return parse_json(text).value();
}

TEST(Token, IsReadFromAnAnswer) {
  const Token token =
      read_token_answer(
          token_answer(R"({"access_token":"a","token_type":"bearer","expires_in":60,"refresh_token":"r","scope":"x y"})"), {"z"},
          1000)
          .value();
  EXPECT_EQ(token.access_token, "a");
  EXPECT_EQ(token.refresh_token, "r");
  EXPECT_THAT(token.scopes, ElementsAre("x", "y"));
  EXPECT_EQ(token.expires_at, 61'000);
  EXPECT_FALSE(token.dpop);
  EXPECT_TRUE(token.covers({"y"}));
  EXPECT_FALSE(token.covers({"y", "z"}));
}

TEST(Token, WhatIsNotSaidIsAsAskedFor) {
  const Token token = read_token_answer(token_answer(R"({"access_token":"a","token_type":"DPoP"})"), {"z"}, 1000).value();
  EXPECT_TRUE(token.dpop);
  EXPECT_THAT(token.scopes, ElementsAre("z"));
  EXPECT_EQ(token.expires_at, 0);
  EXPECT_FALSE(token.expires_before(1'000'000'000'000));
}

TEST(Token, StrangeAnswersAreNone) {
  for (const char* text :
       {"null", "[]", "{}", R"({"access_token":"","token_type":"bearer"})", R"({"access_token":"a"})",
        R"({"access_token":"a","token_type":"mac"})", R"({"access_token":5,"token_type":"bearer"})",
        R"({"access_token":"a\r\nX: y","token_type":"bearer"})", R"({"access_token":"a b","token_type":"bearer"})"})
    EXPECT_FALSE(read_token_answer(token_answer(text), {}, 0)) << text;
  const Token forever =
      read_token_answer(token_answer(R"({"access_token":"a","token_type":"bearer","expires_in":9223372036854775807})"), {}, 1)
          .value();
  EXPECT_GT(forever.expires_at, 0);
}

IssuerRecord sample() {
  IssuerRecord record;
  record.registration = ClientRegistration{"id", "secret", "client_secret_basic", "http://127.0.0.1:1/callback"};
  record.tokens["https://x/mcp"] = Token{"a", "r", true, "pem", {"x", "y"}, 77};
  return record;
}

template <class Store>
void expect_kept(Store& store) {
  ASSERT_TRUE(store.change("https://as", [](IssuerRecord& record) -> Result<void> {
    record = sample();
    return {};
  }));
  const IssuerRecord record = store.read("https://as").value();
  EXPECT_EQ(to_json_object(record), to_json_object(sample()));
  EXPECT_TRUE(store.read("https://other").value().tokens.empty());
  EXPECT_FALSE(store.change("https://as", [](IssuerRecord& changed) -> Result<void> {
    changed.tokens.clear();
    return fail(ErrorKind::refused, "no");
  }));
  EXPECT_EQ(store.read("https://as").value().tokens.size(), 1U);
}

TEST(TokenStore, KeepsInMemory) {
  MemoryTokenStore store;
  expect_kept(store);
}

TEST(TokenStore, KeepsInFilesThatNobodyElseReads) {
  const TestFolder folder;
  const std::string place = folder.path() + "/tokens";
  FileTokenStore store(place);
  expect_kept(store);
  struct stat status{};
  ASSERT_EQ(stat(store.path_of("https://as").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600U);
  ASSERT_EQ(stat(place.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700U);
  FileTokenStore other_process(place);
  EXPECT_EQ(other_process.read("https://as").value().tokens.at("https://x/mcp").access_token, "a");
}

TEST(TokenStore, ADamagedFileIsAnEmptyOne) {
  const TestFolder folder;
  FileTokenStore store(folder.path());
  std::ofstream(store.path_of("https://as")) << "{\"issuer\":";
  EXPECT_FALSE(store.read("https://as").value().registration);
  // One that was put in the place of another's, too.
  std::ofstream(store.path_of("https://as")) << R"({"issuer":"https://evil","registration":{"client_id":"x"}})";
  EXPECT_FALSE(store.read("https://as").value().registration);
  expect_kept(store);
}

TEST(FileTokenStore, ForgetsOneServerOfAllIssuers) {
  const TestFolder folder;
  FileTokenStore store(folder / "logins");
  const auto wiki = parse_http_url("https://wiki.example/mcp").value(), mail = parse_http_url("https://mail.example/mcp").value();
  EXPECT_FALSE(store.knows(wiki).value());
  EXPECT_FALSE(store.forget(wiki).value());
  for (const char* issuer : {"https://one.example", "https://two.example"})
    ASSERT_TRUE(store.change(issuer, [&](IssuerRecord& record) -> Result<void> {
      record.registration = ClientRegistration{"id", "secret", "none", ""};
      record.tokens["https://wiki.example"] = Token{"w", "", false, "", {}, 0};  // above the address: also for it
      if (std::string_view(issuer).contains("two")) record.tokens["https://mail.example/mcp"] = Token{"m", "", false, "", {}, 0};
      return {};
    }));
  EXPECT_TRUE(store.knows(wiki).value());
  EXPECT_TRUE(store.forget(wiki).value());
  EXPECT_FALSE(store.knows(wiki).value());
  EXPECT_TRUE(store.knows(mail).value());
  EXPECT_FALSE(store.read("https://one.example").value().registration);
  EXPECT_TRUE(store.read("https://two.example").value().registration);
}

}  // namespace
}  // namespace holdfast::mcp::oauth
