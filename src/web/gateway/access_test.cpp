// Tokens, the gate before /mcp, and logins of browsers, over a real store.

#include "base/files/file.h"
#include "base/files/test_folder.h"
#include "base/run/poll_loop.h"
#include "base/text/text.h"
#include "operations/store/access_tokens.h"
#include "store/open.h"
#include "web/gateway/logins.h"
#include "web/gateway/token_gate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/stat.h>

#include <future>
#include <semaphore>

namespace holdfast::web {
namespace {

using operations::AccessToken;
using operations::AccessTokens;
using operations::find_token;
using operations::grant_for;
using operations::TokenGrant;

constexpr Millis kAccessNow = 1'800'000'000'000;

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
  std::shared_ptr<ManualClock> clock = std::make_shared<ManualClock>(kAccessNow);
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
  EXPECT_EQ(found->grant.identity(), full_identity("local")) << "the first may do everything";
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

TEST_F(AccessTest, MachinesThatShareAStoreHaveAFirstTokenEach) {
  const std::string here = first_token();
  auto start_elsewhere = [&] {
    EXPECT_TRUE(AccessTokens(*store).ensure_first(folder / "elsewhere"));
    return std::string(trim(read_file(folder / "elsewhere").value_or("")));
  };
  const std::string there = start_elsewhere();
  EXPECT_EQ(start_elsewhere(), there);
  EXPECT_EQ(first_token(), here);
  auto tokens = AccessTokens(*store).list().value();
  ASSERT_EQ(tokens.size(), 2U);
  for (const std::string& token : {here, there}) {
    const AccessToken* found = find_token(tokens, token);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->grant.identity(), full_identity("local"));
  }
  ASSERT_EQ(::unlink((folder / "elsewhere").c_str()), 0);
  const std::string fresh = start_elsewhere();
  tokens = AccessTokens(*store).list().value();
  EXPECT_TRUE(find_token(tokens, fresh));
  EXPECT_TRUE(find_token(tokens, here)) << "only its own former token ends";
  EXPECT_FALSE(find_token(tokens, there));
  EXPECT_FALSE(AccessTokens(*store).add(grant_for("local/0123456789abcdef"))) << "nobody can be called so";
}

TEST_F(AccessTest, TokensHaveNamesAndCanBeRevoked) {
  AccessTokens tokens(*store);
  const std::string token = tokens.add(grant_for("ann")).value();
  EXPECT_EQ(tokens.add(grant_for("ann")).error().kind, ErrorKind::conflict);
  EXPECT_EQ(tokens.add(grant_for("local")).error().kind, ErrorKind::conflict);
  for (const char* bad : {"", "a b", "a|b", "ä", "team:red"}) {
    EXPECT_EQ(tokens.add(grant_for(bad)).error().kind, ErrorKind::invalid) << bad;
    TokenGrant of_team = grant_for("bob");
    of_team.team = bad;
    if (*bad == '\0') continue;
    EXPECT_EQ(tokens.add(of_team).error().kind, ErrorKind::invalid) << bad;
  }
  const Identity ann = find_token(tokens.list().value(), token)->grant.identity();
  EXPECT_EQ(ann.principal, "ann");
  EXPECT_EQ(ann.scopes.text(), "read write review");
  EXPECT_TRUE(ann.projects.empty());
  ASSERT_TRUE(tokens.revoke("ann"));
  EXPECT_FALSE(find_token(tokens.list().value(), token));
  EXPECT_EQ(tokens.revoke("ann").error().kind, ErrorKind::not_found);
}

TEST_F(AccessTest, TheGateAsksTheStoreForTokensItDoesNotKnow) {
  PollLoop loop;
  Pool pool{1};
  TokenGate gate(*store, loop, pool, *clock);
  auto admit = [&](const std::string& token) {
    Result<Identity> answer = fail(ErrorKind::internal, "not called");
    bool answered = false;
    gate.admit(token, [&](Result<Identity> identity) {
      answer = std::move(identity);
      answered = true;
      loop.stop();
    });
    while (!answered) loop.run();  // a stop from an earlier answer may still be pending
    return answer;
  };
  const std::string token = first_token();
  TokenGrant short_lived = grant_for("ann");
  short_lived.expires_at = kAccessNow + 1000;
  const std::string passing = AccessTokens(*store).add(short_lived).value();
  EXPECT_EQ(admit(token).value().principal, "local");
  EXPECT_EQ(admit("hf_wrong").error().kind, ErrorKind::unauthorised);
  // Both known and unknown are now answered from memory.
  EXPECT_EQ(admit(token).value().principal, "local");
  EXPECT_EQ(admit(passing).value().principal, "ann");
  clock->advance(1000);
  EXPECT_EQ(admit(passing).error().kind, ErrorKind::unauthorised);
  EXPECT_THAT(admit(passing).error().message, testing::HasSubstr("expired"));
  pool.close();
}

// A gate whose reads run when the test lets them.
struct HeldGate {
  explicit HeldGate(session::Store& store, const Clock& clock) : gate(store, loop, pool, clock) {}
  ~HeldGate() {
    release();
    pool.close();
    loop.run_ready();
  }

  // From now on reads wait for release().
  void hold() {
    pool.submit([this] { held.acquire(); });
    is_held = true;
  }
  void release() {
    if (std::exchange(is_held, false)) held.release();
  }
  // What the pool was given has run, and what that posted has not.
  void drain_pool() {
    std::promise<void> done;
    pool.submit([&done] { done.set_value(); });
    done.get_future().wait();
  }
  // The answer, once there is one.
  std::shared_ptr<std::optional<Result<Identity>>> ask(const std::string& token) {
    auto answer = std::make_shared<std::optional<Result<Identity>>>();
    gate.admit(token, [this, answer](Result<Identity> identity) {
      *answer = std::move(identity);
      loop.stop();
    });
    return answer;
  }
  Result<Identity> wait_for(const std::shared_ptr<std::optional<Result<Identity>>>& answer) {
    while (!*answer) loop.run();
    return **answer;
  }
  // Until a read that was planned has begun: timers run in the order in which they are due.
  void pass_the_pause() {
    bool passed = false;
    loop.after(TokenGate::kBetweenReads, [&] {
      passed = true;
      loop.stop();
    });
    while (!passed) loop.run();
  }

  PollLoop loop;
  Pool pool{1};
  std::counting_semaphore<1> held{0};
  bool is_held = false;
  TokenGate gate;
};

TEST_F(AccessTest, P4AKnownTokenDoesNotWaitWhileTheListIsReadForAWrongOne) {
  const std::string token = first_token();
  HeldGate held(*store, *clock);
  ASSERT_TRUE(held.wait_for(held.ask(token)));
  held.hold();
  const auto guess = held.ask("hf_wrong");
  held.pass_the_pause();  // the read has begun, and does not end
  for (int i = 0; i < 3; ++i) {
    const auto known = held.ask(token);
    ASSERT_TRUE(*known) << "answered at once";
    EXPECT_EQ((*known)->value().principal, "local");
  }
  EXPECT_FALSE(*guess);
  held.release();
  EXPECT_EQ(held.wait_for(guess).error().kind, ErrorKind::unauthorised);
}

TEST_F(AccessTest, P4ATokenThatWasMadeWhileTheListWasReadIsNotRefused) {
  const std::string token = first_token();
  HeldGate held(*store, *clock);
  ASSERT_TRUE(held.wait_for(held.ask(token)));
  const auto guess = held.ask("hf_wrong");
  held.pass_the_pause();
  held.drain_pool();  // the list was read, and the gate does not know it yet
  const auto made = held.ask(AccessTokens(*store).add(grant_for("ann")).value());
  EXPECT_EQ(held.wait_for(made).value().principal, "ann");
  EXPECT_EQ(held.wait_for(guess).error().kind, ErrorKind::unauthorised);
}

TEST_F(AccessTest, P4GuessesAreFewAtATime) {
  const std::string token = first_token();
  HeldGate held(*store, *clock);
  ASSERT_TRUE(held.wait_for(held.ask(token)));
  held.hold();
  std::vector<std::shared_ptr<std::optional<Result<Identity>>>> guesses;
  for (std::size_t i = 0; i < TokenGate::kMaxWaiting; ++i) guesses.push_back(held.ask("hf_wrong" + std::to_string(i)));
  const auto late = held.ask("hf_wrong");
  ASSERT_TRUE(*late);
  EXPECT_EQ((*late)->error().kind, ErrorKind::unavailable);
  ASSERT_TRUE(*held.ask(token));
  held.release();
  for (const auto& guess : guesses) EXPECT_EQ(held.wait_for(guess).error().kind, ErrorKind::unauthorised);
}

TEST_F(AccessTest, ATokenKeepsWhatItWasMadeFor) {
  TokenGrant grant = grant_for("ann");
  grant.team = "red";
  grant.scopes = {Scope::read};
  grant.projects = {"file:///a"};
  grant.expires_at = kAccessNow + 5;
  const std::string token = AccessTokens(*store).add(grant).value();
  const auto kept = AccessTokens(*store).list().value();
  const AccessToken* found = find_token(kept, token);
  ASSERT_TRUE(found);
  Identity expected = full_identity("team:red");
  expected.person = "ann";
  expected.scopes = {Scope::read};
  expected.projects = {"file:///a"};
  EXPECT_EQ(found->grant.identity(), expected);
  EXPECT_FALSE(found->is_over(kAccessNow));
  EXPECT_TRUE(found->is_over(kAccessNow + 5));
  grant.name = "nobody";
  grant.scopes = {};
  EXPECT_EQ(AccessTokens(*store).add(grant).error().kind, ErrorKind::invalid);
}

TEST_F(AccessTest, TokensOfBeforeThereWereScopesMayEverythingAndBrokenRowsNothing) {
  const auto put = [&](const char* name, const JsonObject& row) {
    ASSERT_TRUE(store->write([&](session::Transaction& t) { return t.put("http.token", name, Json(row)); }));
  };
  put("old", {{"hash", "x"}, {"created_at", 1}});
  put("odd1", {{"hash", "y"}, {"scopes", "read owner"}});
  put("odd2", {{"hash", "y"}, {"scopes", "read"}, {"projects", JsonArray{}}});
  put("odd3", {{"hash", "y"}, {"scopes", "read"}, {"expires_at", "tomorrow"}});
  const auto tokens = AccessTokens(*store).list().value();
  ASSERT_EQ(tokens.size(), 1U);
  EXPECT_EQ(tokens.front().grant.identity(), full_identity("old"));
}

TEST_F(AccessTest, ALoginEndsWithItsToken) {
  AccessTokens tokens(*store);
  Logins logins(*store);
  EXPECT_EQ(logins.make_code("ann").error().kind, ErrorKind::not_found);
  TokenGrant grant = grant_for("ann");
  grant.projects = {"file:///a"};
  grant.expires_at = kAccessNow + 1000;
  ASSERT_TRUE(tokens.add(grant));
  const std::string cookie = *logins.redeem(logins.make_code("ann").value(), {}).value();
  EXPECT_EQ(logins.identity_of(cookie, {}, kAccessNow).value(), grant.identity());
  EXPECT_FALSE(logins.identity_of(cookie, {}, kAccessNow + 1000).value()) << "its token is over";
  ASSERT_TRUE(tokens.revoke("ann"));
  EXPECT_FALSE(logins.identity_of(cookie, {}, kAccessNow).value());
  ASSERT_TRUE(tokens.add(grant));
  EXPECT_FALSE(logins.identity_of(cookie, {}, kAccessNow).value()) << "another token of the same name";
}

TEST_F(AccessTest, ALoginCodeWorksOnce) {
  first_token();
  Logins logins(*store);
  const std::string code = logins.make_code("local").value();
  auto cookie = logins.redeem(code, {}).value();
  ASSERT_TRUE(cookie);
  EXPECT_FALSE(logins.redeem(code, {}).value());
  EXPECT_EQ(logins.identity_of(*cookie, {}, kAccessNow).value(), full_identity("local"));
  EXPECT_FALSE(logins.identity_of(code, {}, kAccessNow).value());
  EXPECT_FALSE(logins.identity_of("", {}, kAccessNow).value());
  EXPECT_FALSE(logins.redeem(std::string(10'000, 'a'), {}).value());
}

TEST_F(AccessTest, CodesAndCookiesExpire) {
  first_token();
  Logins logins(*store);
  const std::string late = logins.make_code("local").value();
  const std::string used = logins.make_code("local").value();
  const std::string cookie = *logins.redeem(used, {}).value();
  clock->advance(kLoginCodeLife);
  EXPECT_FALSE(logins.redeem(late, {}).value());
  EXPECT_TRUE(logins.identity_of(cookie, {}, clock->now()).value());
  clock->advance(kBrowserSessionLife);
  EXPECT_FALSE(logins.identity_of(cookie, {}, clock->now()).value());
}

}  // namespace
}  // namespace holdfast::web
