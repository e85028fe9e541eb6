// The whole way from a refusal to a token, with peers in memory: good ones, and hostile ones.

#include "mcp/oauth/flow.h"

#include "mcp/oauth/test_peer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace holdfast::mcp::oauth {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kServer = "https://x.com/mcp";
constexpr const char* kResourcePlace = "https://x.com/.well-known/oauth-protected-resource/mcp";
constexpr const char* kIssuerPlace = "https://as.com/.well-known/oauth-authorization-server";
constexpr const char* kRegister = "https://as.com/register";

// A person who says yes at once.
struct YesPrompt final : AuthorizationPrompt {
  struct Place final : RedirectPlace {
    explicit Place(YesPrompt& prompt) : owner(prompt) {}
    YesPrompt& owner;
    std::string uri() const override { return owner.redirect; }
    Result<Fields> ask(const std::string& url, const std::string& state, const std::stop_token&) override {
      owner.asked.push_back(url);
      return Fields{{"code", "the-code"}, {"state", state}};
    }
  };
  Result<std::unique_ptr<RedirectPlace>> prepare(const std::string&) override { return std::make_unique<Place>(*this); }

  std::string redirect = "http://127.0.0.1:7/callback";
  std::vector<std::string> asked;
};

class FlowTest : public ::testing::Test {
 protected:
  FlowTest() {
    settings_.server_url = kServer;
    settings_.prompt = prompt_;
    settings_.store = store_;
    settings_.clock = clock_;
    peer_.serve(kResourcePlace,
                R"({"resource":"https://x.com/mcp","authorization_servers":["https://as.com"],"scopes_supported":["all"]})");
    peer_.serve(kIssuerPlace, R"({"issuer":"https://as.com","authorization_endpoint":"https://as.com/authorize",
      "token_endpoint":"https://as.com/token","registration_endpoint":"https://as.com/register",
      "code_challenge_methods_supported":["S256"],"token_endpoint_auth_methods_supported":["none"]})");
    peer_.serve(kRegister, R"({"client_id":"made"})", 201);
    peer_.pages[kTokenPlace] = [this](const net::HttpCall& call) {
      if (refuse_refresh_ && form_of(call)["grant_type"] == "refresh_token")
        return net::HttpAnswer{400, {}, R"({"error":"invalid_grant"})"};
      const std::string n = std::to_string(++tokens_);
      return net::HttpAnswer{
          200, {}, R"({"access_token":"a)" + n + R"(","token_type":"Bearer","expires_in":100,"refresh_token":"r)" + n + "\"}"};
    };
  }

  Result<Session> obtain(Need need = {}) {
    Flow flow(settings_, peer_, {});
    return flow.obtain(need);
  }
  Need with(std::string_view header) {
    Need need;
    need.challenge = parse_challenges(header).at(0);
    return need;
  }

  Settings settings_;
  TestPeer peer_;
  std::shared_ptr<YesPrompt> prompt_ = std::make_shared<YesPrompt>();
  std::shared_ptr<MemoryTokenStore> store_ = std::make_shared<MemoryTokenStore>();
  std::shared_ptr<ManualClock> clock_ = std::make_shared<ManualClock>(1'000'000);
  int tokens_ = 0;
  bool refuse_refresh_ = false;
};

TEST_F(FlowTest, RegistersAsksAndExchangesTheCode) {
  const auto session = obtain();
  ASSERT_TRUE(session) << session.error().message;
  EXPECT_EQ(session->token.access_token, "a1");
  EXPECT_THAT(session->asked_scopes, ElementsAre("all"));
  auto form = form_of(peer_.seen.back());
  EXPECT_EQ(form["grant_type"], "authorization_code");
  EXPECT_EQ(form["code"], "the-code");
  EXPECT_EQ(form["client_id"], "made");
  EXPECT_EQ(form["resource"], kServer);
  EXPECT_EQ(form["redirect_uri"], prompt_->redirect);
  EXPECT_EQ(form["code_verifier"].size(), 43U);
}

TEST_F(FlowTest, ASecondRunNeedsNobody) {
  ASSERT_TRUE(obtain());
  const auto again = obtain();
  ASSERT_TRUE(again);
  EXPECT_EQ(again->token.access_token, "a1");
  EXPECT_EQ(peer_.visits(kRegister), 1U);
  EXPECT_EQ(prompt_->asked.size(), 1U);
}

TEST_F(FlowTest, ATokenThatWasRejectedIsRefreshedAndRotated) {
  Need need;
  need.before = obtain().value();
  const auto renewed = obtain(need);
  ASSERT_TRUE(renewed) << renewed.error().message;
  EXPECT_EQ(renewed->token.access_token, "a2");
  EXPECT_EQ(renewed->token.refresh_token, "r2");
  auto form = form_of(peer_.seen.back());
  EXPECT_EQ(form["grant_type"], "refresh_token");
  EXPECT_EQ(form["refresh_token"], "r1");
  EXPECT_EQ(form["resource"], kServer);
  EXPECT_EQ(prompt_->asked.size(), 1U);
  // The same rejection, told again by another call, finds the new one.
  EXPECT_EQ(obtain(need).value().token.access_token, "a2");
  EXPECT_EQ(tokens_, 2);
}

TEST_F(FlowTest, WhenItCannotBeRefreshedThePersonIsAskedAgain) {
  Need need;
  need.before = obtain().value();
  refuse_refresh_ = true;
  EXPECT_EQ(obtain(need).value().token.access_token, "a2");
  EXPECT_EQ(prompt_->asked.size(), 2U);
  EXPECT_EQ(peer_.visits(kRegister), 1U);
}

TEST_F(FlowTest, OneThatEndedIsRefreshedBeforeItIsUsed) {
  const Session session = obtain().value();
  clock_->advance(200'000);
  EXPECT_EQ(obtain().value().token.access_token, "a2");
  Flow flow(settings_, peer_, {});
  // Another process was faster: its token is taken.
  EXPECT_EQ(flow.refresh(session).value().token.access_token, "a2");
}

TEST_F(FlowTest, MoreScopesAreAddedToThoseOfBefore) {
  Need need = with(R"(Bearer error="insufficient_scope", scope="write")");
  need.before = obtain(with(R"(Bearer scope="read")")).value();
  need.more_scopes = true;
  const auto session = obtain(need);
  ASSERT_TRUE(session);
  EXPECT_THAT(session->asked_scopes, ElementsAre("read", "write"));
  EXPECT_THAT(prompt_->asked.back(), HasSubstr("scope=read%20write"));
}

TEST_F(FlowTest, AnotherIssuerGetsNothingOfTheFirst) {
  Need need;
  need.before = obtain().value();
  peer_.serve(kResourcePlace, R"({"resource":"https://x.com/mcp","authorization_servers":["https://as2.com"]})");
  peer_.serve(
      "https://as2.com/.well-known/oauth-authorization-server",
      R"({"issuer":"https://as2.com","authorization_endpoint":"https://as2.com/authorize","token_endpoint":"https://as2.com/token",
                  "registration_endpoint":"https://as2.com/register","code_challenge_methods_supported":["S256"]})");
  peer_.serve("https://as2.com/register", R"({"client_id":"other","client_secret":"s"})", 201);
  peer_.serve("https://as2.com/token", R"({"access_token":"b","token_type":"bearer"})");
  EXPECT_EQ(obtain(need).value().token.access_token, "b");
  for (const net::HttpCall& call : peer_.seen) {
    if (!call.url.starts_with("https://as2.com")) continue;
    EXPECT_EQ(call.body.find("made"), std::string::npos);
    EXPECT_EQ(call.body.find("r1"), std::string::npos);
  }
}

TEST_F(FlowTest, ARedirectThatMovedIsRegisteredAnew) {
  ASSERT_TRUE(obtain());
  ASSERT_TRUE(store_->change("https://as.com", [](IssuerRecord& record) -> Result<void> {
    record.tokens.clear();
    return {};
  }));
  prompt_->redirect = "http://127.0.0.1:8/callback";
  ASSERT_TRUE(obtain());
  EXPECT_EQ(peer_.visits(kRegister), 2U);
}

TEST_F(FlowTest, WithoutAnybodyToAskItSaysSo) {
  settings_.prompt = nullptr;
  settings_.how_to_log_in = "say the word";
  const Error error = obtain().error();
  EXPECT_EQ(error.kind, ErrorKind::unauthorised);
  EXPECT_EQ(error.code, kLoginRequired);
  EXPECT_EQ(error.hint, "say the word");
  EXPECT_EQ(peer_.visits(kRegister), 0U);
}

TEST_F(FlowTest, ScopesOfTheSettingsAreAskedForInsteadOfAll) {
  settings_.scopes = {"read", "list"};
  ASSERT_TRUE(obtain());
  EXPECT_THAT(prompt_->asked.front(), HasSubstr("scope=read%20list"));
}

TEST_F(FlowTest, CredentialsOfTheProgramItself) {
  settings_.grant = Grant::client_credentials;
  settings_.known_client = KnownClient{"", {"me", "s:ecret", {}, "client_secret_basic"}};
  ASSERT_TRUE(obtain());
  const net::HttpCall& call = peer_.seen.back();
  EXPECT_EQ(form_of(call)["grant_type"], "client_credentials");
  EXPECT_EQ(form_of(call)["scope"], "all");
  EXPECT_THAT(call.headers, ::testing::Contains(std::pair<std::string, std::string>("Authorization", "Basic bWU6cyUzQWVjcmV0")));
}

// ---- hostile peers ----

TEST_F(FlowTest, MetadataOfAnotherOriginIsNotRead) {
  const auto refused = obtain(with(R"(Bearer resource_metadata="https://evil.com/metadata")"));
  EXPECT_EQ(refused.error().kind, ErrorKind::refused);
  EXPECT_TRUE(peer_.seen.empty());
}

TEST_F(FlowTest, ARedirectToAnotherOriginIsNotFollowed) {
  peer_.pages[kResourcePlace] = [](const net::HttpCall&) {
    return net::HttpAnswer{302, {{"location", "https://evil.com/m"}}, ""};
  };
  EXPECT_EQ(obtain().error().kind, ErrorKind::refused);
  EXPECT_EQ(peer_.seen.size(), 1U);
}

TEST_F(FlowTest, RedirectsEnd) {
  peer_.pages[kResourcePlace] = [](const net::HttpCall& call) { return net::HttpAnswer{302, {{"location", call.url}}, ""}; };
  EXPECT_EQ(obtain().error().kind, ErrorKind::refused);
  EXPECT_EQ(peer_.seen.size(), 1U + kMaxRedirects);
}

TEST_F(FlowTest, MetadataOfAnotherIssuerIsNotUsed) {
  peer_.serve(kIssuerPlace, R"({"issuer":"https://evil.com","authorization_endpoint":"https://as.com/authorize",
    "token_endpoint":"https://as.com/token","registration_endpoint":"https://as.com/register","code_challenge_methods_supported":["S256"]})");
  EXPECT_EQ(obtain().error().kind, ErrorKind::refused);
  EXPECT_EQ(peer_.visits(kRegister), 0U);
}

TEST_F(FlowTest, AServerWithoutS256IsNotEvenToldWhoWeAre) {
  peer_.serve(kIssuerPlace, R"({"issuer":"https://as.com","authorization_endpoint":"https://as.com/authorize",
    "token_endpoint":"https://as.com/token","registration_endpoint":"https://as.com/register"})");
  EXPECT_EQ(obtain().error().kind, ErrorKind::refused);
  EXPECT_EQ(peer_.visits(kRegister), 0U);
}

TEST_F(FlowTest, NothingSecretIsInAMessage) {
  peer_.serve(kTokenPlace, R"({"error":"invalid_client","error_description":"no"})", 401);
  settings_.grant = Grant::client_credentials;
  settings_.known_client = KnownClient{"", {"me", "hush", {}, "client_secret_post"}};
  const auto refused = obtain();
  EXPECT_EQ(refused.error().code, "invalid_client");
  EXPECT_EQ(refused.error().message.find("hush"), std::string::npos);
}

}  // namespace
}  // namespace holdfast::mcp::oauth
