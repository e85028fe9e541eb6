#pragma once

// For tests: the gateway over a real store, with a client that has no socket.

#include "base/files/test_folder.h"
#include "base/run/poll_loop.h"
#include "operations/store/access_tokens.h"
#include "session/query/store_view.h"
#include "store/open.h"
#include "web/gateway/gateway.h"
#include "web/gateway/logins.h"
#include "web/pages/add_pages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace holdfast::web {

class GatewayExchange final : public net::HttpExchange {
 public:
  GatewayExchange(PollLoop& loop, net::HttpRequest request, std::optional<std::uint32_t> user)
      : loop_(loop), request_(std::move(request)), body_(std::exchange(request_.body, {})), user_(user) {}
  net::HttpRequest& request() override { return request_; }
  void admit(std::function<void()> then) override {
    admitted = true;
    request_.body = body_;
    then();
  }
  Result<std::uint32_t> peer_user() const override {
    if (!user_) return fail(ErrorKind::not_found, "the client has gone");
    return *user_;
  }
  void respond(net::HttpResponse answer) override {
    response = std::move(answer);
    loop_.stop();
  }
  void start_stream(int, net::HttpHeaders) override {}
  void write(std::string) override {}
  void end() override {}
  void on_gone(std::function<void()>) override {}
  bool gone() const override { return false; }

  std::optional<net::HttpResponse> response;
  bool admitted = false;

 private:
  PollLoop& loop_;
  net::HttpRequest request_;
  std::string body_;  // kept back until the client is admitted
  std::optional<std::uint32_t> user_;
};

inline std::string header_of(const net::HttpResponse& response, std::string_view name) {
  for (const auto& [key, value] : response.headers)
    if (key == name) return value;
  return {};
}

struct GatewayTest : testing::Test {
  GatewayTest() {
    EXPECT_TRUE(operations::AccessTokens(*store).ensure_first(folder / "token"));
    make_gateway(true);
  }
  ~GatewayTest() override { pool.close(); }

  void make_gateway(bool authenticate) {
    gateway = std::make_unique<Gateway>(
        GatewayOptions{"1.2.3", "127.0.0.1", allowed_hosts, authenticate, oauth}, *store, loop, pool, clock,
        [](const Gateway::Exchange& exchange, const Identity& identity) {
          exchange->respond({200, {}, "mcp " + identity.principal + (identity.has_token ? "" : " without a token")});
        },
        [](MetricsText& metrics) { metrics.counter("requests_total", "Requests.", 7); }, make_pages({stores}));
    gateway->set_port(4747);
  }

  net::HttpResponse ask(std::string method, std::string path, net::HttpHeaders headers = {}, std::string body = {}) {
    net::HttpRequest request;
    request.body = std::move(body);
    request.method = std::move(method);
    request.target = path;
    const std::size_t mark = path.find('?');
    request.query = mark == std::string::npos ? "" : path.substr(mark + 1);
    request.path = path.substr(0, mark);
    request.headers = std::move(headers);
    request.peer = "127.0.0.1:50123";
    if (!request.header("Host")) request.headers.emplace_back("Host", "127.0.0.1:4747");
    auto exchange = std::make_shared<GatewayExchange>(loop, std::move(request), peer_user);
    gateway->handle(exchange);
    while (!exchange->response) loop.run();  // a stop from an earlier answer may still be pending
    last_was_admitted = exchange->admitted;
    return *exchange->response;
  }

  std::string log_in(const std::string& token_name = "local") {
    auto answer = ask("GET", "/?code=" + Logins(*store).make_code(token_name).value());
    EXPECT_EQ(answer.status, 303);
    EXPECT_EQ(header_of(answer, "Location"), "/");
    const std::string cookie = header_of(answer, "Set-Cookie");
    EXPECT_THAT(cookie, testing::AllOf(testing::StartsWith("holdfast_4747="), testing::HasSubstr("; HttpOnly"),
                                       testing::HasSubstr("; SameSite=Strict"), testing::HasSubstr("; Path=/")));
    return cookie.substr(0, cookie.find(';'));
  }

  std::optional<std::uint32_t> peer_user = ::geteuid();  // whose process the next client is; nullopt: not of this machine
  bool last_was_admitted = false;
  std::vector<std::string> allowed_hosts;
  OauthSettings oauth;
  TestFolder folder;
  SystemClock clock;
  std::unique_ptr<session::Store> store = store::open_store("sqlite:" + (folder / "store.db")).value();
  session::SharedStore stores{*store};
  PollLoop loop;
  Pool pool{2};
  std::unique_ptr<Gateway> gateway;
};

}  // namespace holdfast::web
