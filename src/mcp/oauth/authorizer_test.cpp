// A client behind an authorizer, over real sockets: a server that wants tokens, and is its own authorization server.

#include "mcp/oauth/authorizer.h"

#include "base/crypto/hash.h"
#include "mcp/client/blocking_client.h"
#include "mcp/transport/transport_http_client.h"
#include "net/http/http_server.h"
#include "net/http/test_http_client.h"
#include "net/run/event_loop.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mutex>
#include <thread>

namespace holdfast::mcp::oauth {
namespace {

// Legacy without resource metadata: the shortest way to a token, by the program's own credentials.
class TokenServer {
 public:
  TokenServer() : http_({}, net::admitting([this](auto exchange) { handle(*exchange); })) {
    port_ = http_.listen("127.0.0.1", 0).value();
    thread_ = std::thread([this] { http_.run(); });
  }
  ~TokenServer() {
    http_.stop();
    thread_.join();
  }
  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_) + "/mcp"; }

  std::mutex mutex;  // guards all below
  std::string good = "t1";
  std::string wants_scope;           // of tools/call
  std::vector<std::string> granted;  // bodies of token requests
  std::vector<std::string> presented;
  bool gives_tokens = true;
  bool renews = true;
  bool dpop = false;  // tokens are bound to a key, and every answer has another nonce
  int nonces = 0;
  int stale_nonces = 0;  // requests that did not carry the last one
  std::string lifetime;  // further members of a token answer

 private:
  void handle(net::HttpExchange& exchange) {
    const std::lock_guard lock(mutex);
    const net::HttpRequest& request = exchange.request();
    if (request.path == "/token") {
      granted.push_back(request.body);
      const bool renewal = request.body.contains("grant_type=refresh_token");
      if (renewal && !renews) return exchange.respond({400, {}, R"({"error":"invalid_grant"})"});
      if (!gives_tokens) return exchange.respond({401, {}, R"({"error":"invalid_client"})"});
      const std::string type = dpop ? "DPoP" : "Bearer";
      return exchange.respond({200, {}, R"({"access_token":")" + good + R"(","token_type":")" + type + '"' + lifetime + "}"});
    }
    if (request.path == "/.well-known/oauth-authorization-server" && dpop) return exchange.respond({200, {}, metadata()});
    if (request.path != "/mcp") return exchange.respond({404, {}, {}});
    if (request.method != "POST") return exchange.respond({405, {}, {}});
    const std::string* token = request.header("authorization");
    presented.push_back(token ? *token : "");
    if (presented.back() != (dpop ? "DPoP " : "Bearer ") + good)
      return exchange.respond({401, {{"WWW-Authenticate", dpop ? "DPoP" : "Bearer"}}, {}});
    net::HttpHeaders headers = {{"Content-Type", "application/json"}};
    if (dpop) {
      if (nonces > 0 && nonce_of(request) != fmt::format("n{}", nonces)) ++stale_nonces;
      headers.emplace_back("DPoP-Nonce", fmt::format("n{}", ++nonces));
    }
    const JsonObject message = parse_json(request.body).value().as_object();
    const auto method = find_string(message, "method");
    if (!wants_scope.empty() && method == "tools/call" &&
        (granted.empty() || granted.back().find("scope=" + wants_scope) == std::string::npos))
      return exchange.respond(
          {403, {{"WWW-Authenticate", R"(Bearer error="insufficient_scope", scope=")" + wants_scope + '"'}}, {}});
    const Json* id = find(message, "id");
    if (!id) return exchange.respond({202, headers, {}});
    JsonObject result{{"content", JsonArray()}, {"tools", JsonArray()}};
    if (method == "initialize")
      result = {{"protocolVersion", "2025-11-25"},
                {"capabilities", {{"tools", JsonObject()}}},
                {"serverInfo", {{"name", "x"}, {"version", "1"}}}};
    exchange.respond({200, headers, to_json(JsonObject{{"jsonrpc", "2.0"}, {"id", *id}, {"result", result}})});
  }

  std::string metadata() const {
    const std::string origin = "http://127.0.0.1:" + std::to_string(port_);
    return to_json(JsonObject{
        {"issuer", origin}, {"token_endpoint", origin + "/token"}, {"dpop_signing_alg_values_supported", JsonArray{"ES256"}}});
  }
  static std::string nonce_of(const net::HttpRequest& request) {
    const std::string* proof = request.header("dpop");
    if (!proof) return "(no proof)";
    const std::size_t begin = proof->find('.') + 1;
    const Json payload = parse_json(from_base64url(proof->substr(begin, proof->find('.', begin) - begin)).value()).value();
    return std::string(find_string(payload.as_object(), "nonce").value_or("(none)"));
  }

  std::uint16_t port_ = 0;
  net::HttpServer http_;
  std::thread thread_;
};

class AuthorizerTest : public ::testing::Test {
 protected:
  BlockingClient& client() {
    if (client_) return *client_;
    Settings settings;
    settings.server_url = server_.url();
    settings.clock = clock_;
    settings.grant = Grant::client_credentials;
    settings.known_client = KnownClient{"", {"me", "s", {}, "client_secret_post"}};
    ClientOptions options;
    options.only_version = Version::v2025_11_25;
    HttpEndpoint endpoint{server_.url(), {}, false, std::make_shared<Authorizer>(loop_.loop(), settings)};
    client_ = std::make_unique<BlockingClient>(loop_.loop(), options, ClientHandlers(),
                                               http_transport_maker(loop_.loop(), std::move(endpoint)));
    return *client_;
  }

  std::shared_ptr<ManualClock> clock_ = std::make_shared<ManualClock>(1'000'000);
  TokenServer server_;
  net::LoopThread loop_;
  std::unique_ptr<BlockingClient> client_;
};

TEST_F(AuthorizerTest, GetsATokenWhenRefusedAndKeepsIt) {
  ASSERT_TRUE(client().call_tool("a", {}));
  ASSERT_TRUE(client().call_tool("a", {}));
  const std::lock_guard lock(server_.mutex);
  EXPECT_EQ(server_.granted.size(), 1U);
  ASSERT_GT(server_.presented.size(), 2U);
  EXPECT_EQ(server_.presented[0], "");
  EXPECT_EQ(server_.presented[1], "Bearer t1");
  EXPECT_EQ(server_.presented.back(), "Bearer t1");
}

TEST_F(AuthorizerTest, ManyCallsThatAreRefusedShareOneToken) {
  ASSERT_TRUE(client().connect());
  {
    const std::lock_guard lock(server_.mutex);
    server_.good = "t2";
  }
  std::vector<std::thread> callers;
  std::atomic<int> worked = 0;
  for (int i = 0; i < 8; ++i) callers.emplace_back([&] { worked += client().ping().has_value(); });
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(worked, 8);
  const std::lock_guard lock(server_.mutex);
  EXPECT_EQ(server_.granted.size(), 2U);
}

TEST_F(AuthorizerTest, RenewsATokenBeforeItEnds) {
  server_.lifetime = R"(,"expires_in":100,"refresh_token":"r")";
  ASSERT_TRUE(client().ping());
  {
    const std::lock_guard lock(server_.mutex);
    server_.good = "t2";
    server_.presented.clear();
  }
  clock_->advance(100'000 - kRenewBefore + 1);
  ASSERT_TRUE(client().ping());
  const std::lock_guard lock(server_.mutex);
  ASSERT_EQ(server_.granted.size(), 2U);
  EXPECT_THAT(server_.granted[1], ::testing::HasSubstr("grant_type=refresh_token"));
  EXPECT_THAT(server_.presented, ::testing::Each("Bearer t2"));
}

TEST_F(AuthorizerTest, AsksForMoreScopesWhenTheyAreWanted) {
  server_.wants_scope = "write";
  ASSERT_TRUE(client().call_tool("a", {}));
  const std::lock_guard lock(server_.mutex);
  ASSERT_EQ(server_.granted.size(), 2U);
  EXPECT_EQ(server_.granted[0].find("scope"), std::string::npos);
  EXPECT_THAT(server_.granted[1], ::testing::HasSubstr("scope=write"));
}

TEST_F(AuthorizerTest, AServerThatIsNeverContentIsLeft) {
  server_.wants_scope = "write";
  ASSERT_TRUE(client().call_tool("a", {}));
  {
    const std::lock_guard lock(server_.mutex);
    server_.wants_scope = "no%20such";  // never to be found in a request
  }
  const auto result = client().call_tool("a", {});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().error.kind, ErrorKind::unauthorised);
  const std::lock_guard lock(server_.mutex);
  EXPECT_LE(server_.granted.size(), 5U);
}

TEST_F(AuthorizerTest, WhatTheEndpointSaysReachesTheCaller) {
  server_.gives_tokens = false;
  const auto result = client().call_tool("a", {});
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().error.message, ::testing::HasSubstr("invalid_client"));
  EXPECT_EQ(result.error().outcome, Outcome::not_executed);
}

TEST_F(AuthorizerTest, AFailedLoginIsNotTriedAgainAtOnce) {
  server_.gives_tokens = false;
  const auto attempts = [this] {
    const std::lock_guard lock(server_.mutex);
    return server_.granted.size();
  };
  for (int i = 0; i < 5; ++i) {
    const auto result = client().call_tool("a", {});
    ASSERT_FALSE(result);
    EXPECT_THAT(result.error().error.message, ::testing::HasSubstr("invalid_client")) << "the reason of the first time";
  }
  EXPECT_EQ(attempts(), 1U);
  clock_->advance(kFirstPause);
  EXPECT_FALSE(client().call_tool("a", {}));
  EXPECT_EQ(attempts(), 2U);
  clock_->advance(kFirstPause);
  EXPECT_FALSE(client().call_tool("a", {}));
  EXPECT_EQ(attempts(), 2U) << "the second pause is twice as long";
  clock_->advance(kFirstPause);
  {
    const std::lock_guard lock(server_.mutex);
    server_.gives_tokens = true;
  }
  EXPECT_TRUE(client().call_tool("a", {}));
}

TEST_F(AuthorizerTest, ARenewalThatFailsIsFollowedByALoginAtOnce) {
  server_.lifetime = R"(,"expires_in":100,"refresh_token":"r")";
  ASSERT_TRUE(client().ping());
  {
    const std::lock_guard lock(server_.mutex);
    server_.good = "t2";
    server_.renews = false;
  }
  clock_->advance(100'000);
  ASSERT_TRUE(client().ping());
  const std::lock_guard lock(server_.mutex);
  EXPECT_EQ(server_.presented.back(), "Bearer t2");
}

TEST_F(AuthorizerTest, ANonceThatComesWithAGoodAnswerIsUsedNext) {
  server_.dpop = true;
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(client().call_tool("a", {}));
  const std::lock_guard lock(server_.mutex);
  EXPECT_GT(server_.nonces, 5);
  EXPECT_EQ(server_.stale_nonces, 0);
}

TEST_F(AuthorizerTest, SignsNothingForAnotherOrigin) {
  ASSERT_TRUE(client().connect());
  Settings settings;
  settings.server_url = server_.url();
  net::EventLoop idle;
  Authorizer authorizer(idle, settings);
  net::HttpCall call;
  call.url = "http://127.0.0.1:1/mcp";
  authorizer.sign(call);
  EXPECT_TRUE(call.headers.empty());
}

}  // namespace
}  // namespace holdfast::mcp::oauth
