// Tokens, the gate before /mcp, and logins of browsers, over a real store.

#include "base/file.h"
#include "base/poll_loop.h"
#include "base/test_folder.h"
#include "base/text.h"
#include "store/open.h"
#include "web/access_tokens.h"
#include "web/logins.h"
#include "web/token_gate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/stat.h>

namespace holdfast::web {
namespace {

constexpr Millis kNow = 1'800'000'000'000;

struct AccessTest : testing::Test {
  AccessTest() {
    store::OpenOptions options;
    options.clock = clock;
    store = store::open_store("sqlite:" + (folder / "store.db"), options).value();
  }

  std::string first_token() {
    auto made = AccessTokens(*store).ensure_first(folder / "token");
    EXPECT_TRUE(made) << made.error().message;
    return std::string(trim(read_file(folder / "token").value_or("")));
  }

  TestFolder folder;
  std::shared_ptr<ManualClock> clock = std::make_shared<ManualClock>(kNow);
  std::unique_ptr<session::Store> store;
};

TEST_F(AccessTest, TheFirstTokenIsMadeOnceAndPrivate) {
  const std::string token = first_token();
  EXPECT_GE(token.size(), 43U);
  EXPECT_EQ(first_token(), token);
  struct stat status{};
  ASSERT_EQ(::stat((folder / "token").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600U);
  auto tokens = AccessTokens(*store).list().value();
  const AccessToken* found = find_token(tokens, token);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->principal, "local");
  EXPECT_FALSE(find_token(tokens, token + "x"));
  EXPECT_FALSE(find_token(tokens, ""));
  EXPECT_THAT(found->hash, testing::Not(testing::HasSubstr(token)));
}

TEST_F(AccessTest, AFileThatWasOpenedToOthersIsClosedAgain) {
  const std::string token = first_token();
  ASSERT_EQ(::chmod((folder / "token").c_str(), 0644), 0);
  EXPECT_EQ(first_token(), token);
  struct stat status{};
  ASSERT_EQ(::stat((folder / "token").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600U);
}

TEST_F(AccessTest, ALostFileMakesANewTokenAndEndsTheOld) {
  const std::string old = first_token();
  ASSERT_EQ(::unlink((folder / "token").c_str()), 0);
  const std::string fresh = first_token();
  EXPECT_NE(fresh, old);
  auto tokens = AccessTokens(*store).list().value();
  EXPECT_TRUE(find_token(tokens, fresh));
  EXPECT_FALSE(find_token(tokens, old));
}

TEST_F(AccessTest, TokensHaveNamesAndCanBeRevoked) {
  AccessTokens tokens(*store);
  const std::string token = tokens.add("ann").value();
  EXPECT_EQ(tokens.add("ann").error().kind, ErrorKind::conflict);
  EXPECT_EQ(tokens.add("local").error().kind, ErrorKind::conflict);
  for (const char* bad : {"", "a b", "a|b", "ä"}) EXPECT_EQ(tokens.add(bad).error().kind, ErrorKind::invalid) << bad;
  EXPECT_EQ(find_token(tokens.list().value(), token)->principal, "ann");
  ASSERT_TRUE(tokens.revoke("ann"));
  EXPECT_FALSE(find_token(tokens.list().value(), token));
  EXPECT_EQ(tokens.revoke("ann").error().kind, ErrorKind::not_found);
}

TEST_F(AccessTest, TheGateAsksTheStoreForTokensItDoesNotKnow) {
  PollLoop loop;
  Pool pool{1};
  TokenGate gate(*store, loop, pool);
  auto admit = [&](const std::string& token) {
    Result<std::string> answer = fail(ErrorKind::internal, "not called");
    bool answered = false;
    gate.admit(token, [&](Result<std::string> principal) {
      answer = std::move(principal);
      answered = true;
      loop.stop();
    });
    while (!answered) loop.run();  // a stop from an earlier answer may still be pending
    return answer;
  };
  const std::string token = first_token();
  EXPECT_EQ(admit(token).value(), "local");
  EXPECT_EQ(admit("hf_wrong").error().kind, ErrorKind::unauthorised);
  // Both known and unknown are now answered from memory.
  EXPECT_EQ(admit(token).value(), "local");
  pool.close();
}

TEST_F(AccessTest, ALoginCodeWorksOnce) {
  Logins logins(*store);
  const std::string code = logins.make_code("local").value();
  auto cookie = logins.redeem(code).value();
  ASSERT_TRUE(cookie);
  EXPECT_FALSE(logins.redeem(code).value());
  EXPECT_EQ(logins.principal_of(*cookie).value(), "local");
  EXPECT_FALSE(logins.principal_of(code).value());
  EXPECT_FALSE(logins.principal_of("").value());
  EXPECT_FALSE(logins.redeem(std::string(10'000, 'a')).value());
}

TEST_F(AccessTest, CodesAndCookiesExpire) {
  Logins logins(*store);
  const std::string late = logins.make_code("local").value();
  const std::string used = logins.make_code("local").value();
  const std::string cookie = *logins.redeem(used).value();
  clock->advance(kLoginCodeLife);
  EXPECT_FALSE(logins.redeem(late).value());
  EXPECT_TRUE(logins.principal_of(cookie).value());
  clock->advance(kBrowserSessionLife);
  EXPECT_FALSE(logins.principal_of(cookie).value());
}

}  // namespace
}  // namespace holdfast::web
