// Requests that do not wait: many at once, streams, ends.

#include "net/http/http_streams.h"

#include "net/http/http_server.h"
#include "net/http/test_http_client.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace holdfast::net {
namespace {

using namespace std::chrono_literals;

class HttpStreamsTest : public ::testing::Test {
 protected:
  HttpStreamsTest() : server_({}, admitting([this](auto exchange) { handle(std::move(exchange)); })) {
    port_ = server_.listen("127.0.0.1", 0).value();
    thread_ = std::thread([this] { server_.run(); });
    streams_ = HttpStreams::make(loop_).value();
  }
  ~HttpStreamsTest() override {
    streams_.reset();
    server_.stop();
    thread_.join();
  }

  void handle(std::shared_ptr<HttpExchange> exchange) {
    const HttpRequest& request = exchange->request();
    if (request.path == "/echo") return exchange->respond({200, {{"X-Seen", request.method}}, request.body});
    if (request.path == "/no") return exchange->respond({404, {}, "not here"});
    exchange->start_stream(200, {{"Content-Type", "text/event-stream"}});
    exchange->write("first");
    exchange->on_gone([this] { ++gone_; });
    if (request.path == "/cut") return;  // let go of without an end
    held_.push_back(std::move(exchange));
  }
  HttpCall call(const std::string& method, const std::string& path, std::string body = {}) {
    HttpCall call;
    call.method = method;
    call.url = "http://127.0.0.1:" + std::to_string(port_) + path;
    call.body = std::move(body);
    return call;
  }
  // Once a test: a loop that was stopped stays so.
  template <class Condition>
  void turn_until(Condition condition) {
    const auto deadline = std::chrono::steady_clock::now() + 10s;
    std::function<void()> look = [&] {
      if (condition() || std::chrono::steady_clock::now() > deadline) return loop_.stop();
      loop_.after(1ms, [&] { look(); });
    };
    loop_.post([&] { look(); });
    loop_.run();
    EXPECT_TRUE(condition()) << "waited in vain";
  }

  std::atomic<int> gone_ = 0;
  std::vector<std::shared_ptr<HttpExchange>> held_;
  HttpServer server_;
  std::uint16_t port_ = 0;
  std::thread thread_;
  EventLoop loop_;
  std::unique_ptr<HttpStreams> streams_;
};

TEST_F(HttpStreamsTest, ManyAtOnceEachWithItsOwnAnswer) {
  int good = 0, over = 0;
  for (int i = 0; i < 200; ++i) {
    HttpStreams::Events events;
    events.on_end = [&, i](Result<HttpAnswer> answer, bool reached) {
      ++over;
      good +=
          answer && reached && answer->status == 200 && answer->body == std::to_string(i) && answer->header("x-seen") == "POST";
    };
    ASSERT_TRUE(streams_->start(call("POST", "/echo", std::to_string(i)), std::move(events)));
  }
  EXPECT_EQ(over, 0) << "nothing happens inside start";
  turn_until([&] { return over == 200; });
  EXPECT_EQ(good, 200);
}

TEST_F(HttpStreamsTest, AStreamIsSeenWhileItLastsAndOthersMayBeStoppedFromItsEvents) {
  std::string seen;
  HttpStreams::Id other = 0;
  bool other_ended = false;
  HttpStreams::Events quiet;
  quiet.on_body = [](const HttpAnswer&, std::string_view) -> Result<void> { return {}; };
  quiet.on_end = [&](auto, bool) { other_ended = true; };
  other = streams_->start(call("GET", "/stream"), std::move(quiet)).value();
  HttpStreams::Id self = 0;
  HttpStreams::Events events;
  events.on_body = [&](const HttpAnswer& head, std::string_view bytes) -> Result<void> {
    EXPECT_EQ(head.header("content-type"), "text/event-stream");
    seen += bytes;
    streams_->stop(other);
    streams_->stop(self);
    return {};
  };
  events.on_end = [](auto, bool) { ADD_FAILURE() << "stopped"; };
  self = streams_->start(call("GET", "/stream"), std::move(events)).value();
  turn_until([&] { return gone_ == 2; });
  EXPECT_EQ(seen, "first");
  EXPECT_FALSE(other_ended);
}

TEST_F(HttpStreamsTest, EndsThatAreNoAnswers) {
  int over = 0;
  const auto expect_end = [&](bool expected_reached) {
    HttpStreams::Events events;
    events.on_body = [](const HttpAnswer&, std::string_view) -> Result<void> { return {}; };
    events.on_end = [&over, expected_reached](Result<HttpAnswer> answer, bool reached) {
      ++over;
      ASSERT_FALSE(answer);
      EXPECT_EQ(answer.error().kind, ErrorKind::unavailable) << answer.error().message;
      EXPECT_EQ(reached, expected_reached) << answer.error().message;
    };
    return events;
  };
  ASSERT_TRUE(streams_->start(call("GET", "/cut"), expect_end(true)));
  HttpCall nobody = call("GET", "/");
  nobody.url = "http://127.0.0.1:1/";
  ASSERT_TRUE(streams_->start(nobody, expect_end(false)));
  EXPECT_EQ(streams_->start(HttpCall{}, expect_end(false)).error().kind, ErrorKind::invalid);
  turn_until([&] { return over == 2; });
}

TEST_F(HttpStreamsTest, AStatusThatSaysNoHasItsTextAndAReaderMayGiveUp) {
  int over = 0;
  HttpStreams::Events refused;
  refused.on_body = [](const HttpAnswer&, std::string_view) -> Result<void> { return fail(ErrorKind::internal, "not for this"); };
  refused.on_end = [&](Result<HttpAnswer> answer, bool) {
    ++over;
    EXPECT_EQ(answer->status, 404);
    EXPECT_EQ(answer->body, "not here");
  };
  ASSERT_TRUE(streams_->start(call("GET", "/no"), std::move(refused)));
  HttpStreams::Events picky;
  picky.on_body = [](const HttpAnswer&, std::string_view) -> Result<void> { return fail(ErrorKind::too_large, "enough"); };
  picky.on_end = [&](Result<HttpAnswer> answer, bool) {
    ++over;
    EXPECT_EQ(answer.error().kind, ErrorKind::too_large);
  };
  ASSERT_TRUE(streams_->start(call("GET", "/stream"), std::move(picky)));
  turn_until([&] { return over == 2; });
}

}  // namespace
}  // namespace holdfast::net
