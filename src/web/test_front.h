#pragma once

// For tests: the front door over a real store, with a client that has no socket.

#include "base/poll_loop.h"
#include "base/test_folder.h"
#include "session/fenced_store.h"
#include "store/open.h"
#include "web/access_tokens.h"
#include "web/add_pages.h"
#include "web/front.h"
#include "web/logins.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>

namespace holdfast::web {

class FrontExchange final : public net::HttpExchange {
 public:
  FrontExchange(PollLoop& loop, net::HttpRequest request) : loop_(loop), request_(std::move(request)) {}
  net::HttpRequest& request() override { return request_; }
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

 private:
  PollLoop& loop_;
  net::HttpRequest request_;
};

inline std::string header_of(const net::HttpResponse& response, std::string_view name) {
  for (const auto& [key, value] : response.headers)
    if (key == name) return value;
  return {};
}

struct FrontTest : testing::Test {
  FrontTest() {
    EXPECT_TRUE(AccessTokens(*store).ensure_first(folder / "token"));
    make_front(true);
  }
  ~FrontTest() override { pool.close(); }

  void make_front(bool authenticate) {
    front = std::make_unique<Front>(
        FrontOptions{"1.2.3", "127.0.0.1", {}, authenticate, oauth}, fenced, loop, pool, clock,
        [](const Front::Exchange& exchange, const Identity& identity) {
          exchange->respond({200, {}, "mcp " + identity.principal});
        },
        [](MetricsText& metrics) { metrics.counter("requests_total", "Requests.", 7); }, make_pages({fenced}));
    front->set_port(4747);
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
    if (!request.header("Host")) request.headers.emplace_back("Host", "127.0.0.1:4747");
    auto exchange = std::make_shared<FrontExchange>(loop, std::move(request));
    front->handle(exchange);
    while (!exchange->response) loop.run();  // a stop from an earlier answer may still be pending
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

  OauthSettings oauth;
  TestFolder folder;
  SystemClock clock;
  std::unique_ptr<session::Store> store = store::open_store("sqlite:" + (folder / "store.db")).value();
  session::FencedStore fenced{*store};
  PollLoop loop;
  Pool pool{2};
  std::unique_ptr<Front> front;
};

}  // namespace holdfast::web
