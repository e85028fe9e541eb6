#include "net/http/http_server.h"

#include "net/http/test_http_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>

namespace holdfast::net {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::StartsWith;

// Answers with what it was asked: "METHOD path body".
void echo(const std::shared_ptr<HttpExchange>& exchange) {
  const HttpRequest& request = exchange->request();
  exchange->respond({.status = 200,
                     .headers = {{"Content-Type", "text/plain"}},
                     .body = request.method + " " + request.path + " " + request.body});
}

TEST(HttpServer, AnswersManyRequestsOnOneConnection) {
  ServerOnThread server({}, echo);
  RawHttpClient client(server.port);
  for (int i = 0; i < 50; ++i) {
    client.post("/p", std::to_string(i));
    const RawResponse response = client.read_response();
    EXPECT_EQ(response.status, 200);
    EXPECT_EQ(response.body, "POST /p " + std::to_string(i));
    EXPECT_TRUE(response.has("\r\nDate: "));
    EXPECT_TRUE(response.has("\r\nContent-Type: text/plain\r\n"));
    EXPECT_FALSE(response.has("Connection:"));
  }
  const auto counts = server.counts();
  EXPECT_EQ(counts.requests_total, 50u);
  EXPECT_EQ(counts.connections_total, 1u);
  EXPECT_EQ(counts.connections_open, 1u);
}

TEST(HttpServer, TellsThePeer) {
  ServerOnThread server({}, [](const auto& exchange) { exchange->respond({.headers = {}, .body = exchange->request().peer}); });
  RawHttpClient client(server.port);
  client.get("/");
  EXPECT_THAT(client.read_response().body, StartsWith("127.0.0.1:"));
}

TEST(HttpServer, AnswersPipelinedRequestsInOrder) {
  ServerOnThread server({}, echo);
  RawHttpClient client(server.port);
  std::string all;
  for (int i = 0; i < 2000; ++i) all += "GET /" + std::to_string(i) + " HTTP/1.1\r\nHost: test\r\n\r\n";
  std::thread sender([&] { client.send(all); });
  for (int i = 0; i < 2000; ++i) ASSERT_EQ(client.read_response().body, "GET /" + std::to_string(i) + " ");
  sender.join();
}

TEST(HttpServer, AnswersPipelinedRequestsInOrderWhenAnsweredLater) {
  // Every answer comes from a task of its own, long after the following requests have arrived.
  ServerOnThread* running = nullptr;
  ServerOnThread server({}, [&](std::shared_ptr<HttpExchange> exchange) {
    running->server.executor().post([exchange = std::move(exchange)] { echo(exchange); });
  });
  running = &server;
  RawHttpClient client(server.port);
  std::string all;
  for (int i = 0; i < 500; ++i)
    all += "POST /" + std::to_string(i) + " HTTP/1.1\r\nHost: a\r\nContent-Length: 500\r\n\r\n" + std::string(500, 'x');
  std::thread sender([&] { client.send(all); });
  for (int i = 0; i < 500; ++i)
    ASSERT_EQ(client.read_response().body, "POST /" + std::to_string(i) + " " + std::string(500, 'x'));
  sender.join();
}

TEST(HttpServer, PausesAClientThatAsksAndDoesNotRead) {
  // 200 answers of 1 MB each are far more than the socket holds; they must not pile up in memory.
  const std::string megabyte(1 << 20, 'm');
  std::atomic<int> begun = 0;
  ServerOnThread server({}, [&](const auto& exchange) {
    ++begun;
    exchange->respond({.headers = {}, .body = megabyte});
  });
  RawHttpClient client(server.port);
  std::string all;
  for (int i = 0; i < 200; ++i) all += "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
  client.send(all);
  ASSERT_EQ(client.read_response().body.size(), megabyte.size());
  EXPECT_LT(begun, 100);
  for (int i = 1; i < 200; ++i) ASSERT_EQ(client.read_response().body.size(), megabyte.size());
  EXPECT_EQ(begun, 200);
}

TEST(HttpServer, TakesRequestsInAnyPortions) {
  ServerOnThread server({}, echo);
  RawHttpClient client(server.port);
  for (const char c :
       std::string_view("POST /x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"))
    client.send(std::string_view(&c, 1));
  EXPECT_EQ(client.read_response().body, "POST /x abcde");
}

TEST(HttpServer, TakesAndGivesLargeBodies) {
  ServerOnThread server({}, echo);
  RawHttpClient client(server.port);
  std::string body(16 * 1024 * 1024, 'b');
  for (std::size_t i = 0; i < body.size(); i += 4096) body[i] = static_cast<char>('a' + i / 4096 % 26);
  std::thread sender([&] { client.post("/", body); });
  const RawResponse response = client.read_response();
  sender.join();
  EXPECT_EQ(response.status, 200);
  EXPECT_TRUE(response.body == "POST / " + body);
}

TEST(HttpServer, AnswersHeadWithoutABody) {
  ServerOnThread server({}, echo);
  RawHttpClient client(server.port);
  client.send("HEAD /h HTTP/1.1\r\nHost: a\r\n\r\nGET /g HTTP/1.1\r\nHost: a\r\n\r\n");
  const RawResponse head = client.read_response(true);
  EXPECT_TRUE(head.has("Content-Length: 8\r\n"));
  EXPECT_EQ(client.read_response().body, "GET /g ");
}

TEST(HttpServer, SendsNoBodyAndNoLengthWithNoContent) {
  ServerOnThread server({}, [](const auto& exchange) { exchange->respond({.status = 204, .headers = {}, .body = "ignored"}); });
  RawHttpClient client(server.port);
  client.get("/");
  const RawResponse response = client.read_response();
  EXPECT_EQ(response.status, 204);
  EXPECT_FALSE(response.has("Content-Length"));
  client.get("/");
  EXPECT_EQ(client.read_response().status, 204);
}

TEST(HttpServer, AsksForTheBodyOfAClientThatWaits) {
  ServerOnThread server({}, echo);
  RawHttpClient client(server.port);
  client.send("POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
  EXPECT_EQ(client.read_through("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  client.send("o");
  client.send("k");
  EXPECT_EQ(client.read_response().body, "POST / ok");
}

TEST(HttpServer, ClosesWhenTheClientSaysSo) {
  ServerOnThread server({}, echo);
  RawHttpClient client(server.port);
  client.send("GET /c HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  const RawResponse response = client.read_response();
  EXPECT_EQ(response.body, "GET /c ");
  EXPECT_TRUE(response.has("\r\nConnection: close\r\n"));
  EXPECT_TRUE(client.at_end());
}

TEST(HttpServer, SpeaksHttp10) {
  ServerOnThread server({}, echo);
  RawHttpClient client(server.port);
  client.send("GET /1 HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  const RawResponse first = client.read_response();
  EXPECT_EQ(first.body, "GET /1 ");
  EXPECT_TRUE(first.has("Connection: keep-alive\r\n"));
  client.send("GET /2 HTTP/1.0\r\n\r\n");
  EXPECT_EQ(client.read_response().body, "GET /2 ");
  EXPECT_TRUE(client.at_end());
}

TEST(HttpServer, AnswersAClientThatHasShutDownItsSendingHalf) {
  ServerOnThread server({}, [](const auto& exchange) { exchange->respond({.headers = {}, .body = std::string(8 << 20, 'x')}); });
  RawHttpClient client(server.port);
  client.get("/");
  client.shut_sending();
  EXPECT_EQ(client.read_response().body.size(), 8u << 20);
  EXPECT_TRUE(client.at_end());
}

TEST(HttpServer, LetsNoHeaderValueAddAHeader) {
  ServerOnThread server({}, [](const auto& exchange) {
    exchange->respond({.headers = {{"X-A", "1\r\nX-Forged: 2"}, {"Bad Name", "x"}, {"content-length", "999"}, {"Date", "never"}},
                       .body = "ok"});
  });
  RawHttpClient client(server.port);
  client.get("/");
  const RawResponse response = client.read_response();
  EXPECT_TRUE(response.has("X-A: 1  X-Forged: 2\r\n"));
  EXPECT_FALSE(response.has("Bad Name"));
  EXPECT_FALSE(response.has("999"));
  EXPECT_FALSE(response.has("never"));
  EXPECT_EQ(response.body, "ok");
}

TEST(HttpServer, AnswersForAHandlerThatForgetsOrThrows) {
  ServerOnThread server({}, [](const std::shared_ptr<HttpExchange>& exchange) {
    if (exchange->request().path == "/throw") throw std::runtime_error("thrown by a test");
  });
  RawHttpClient client(server.port);
  client.get("/forget");
  EXPECT_EQ(client.read_response().status, 500);
  client.get("/throw");
  EXPECT_EQ(client.read_response().status, 500);
}

TEST(HttpServer, AnswersForAnExchangeThatDiesOnAnotherThread) {
  std::promise<std::shared_ptr<HttpExchange>> given;
  ServerOnThread server({}, [&](std::shared_ptr<HttpExchange> exchange) { given.set_value(std::move(exchange)); });
  RawHttpClient client(server.port);
  client.get("/");
  given.get_future().get().reset();
  EXPECT_EQ(client.read_response().status, 500);
}

TEST(HttpServer, TakesOnlyTheFirstAnswer) {
  ServerOnThread server({}, [](const auto& exchange) {
    exchange->respond({.headers = {}, .body = "first"});
    exchange->respond({.headers = {}, .body = "second"});
    exchange->start_stream(200, {});
    exchange->write("third");
    exchange->end();
  });
  RawHttpClient client(server.port);
  for (int i = 0; i < 3; ++i) {
    client.get("/");
    EXPECT_EQ(client.read_response().body, "first");
  }
}

TEST(HttpServer, ListensOnEveryAddressOfAName) {
  HttpServer server({}, echo);
  const auto port = server.listen("localhost", 0);
  ASSERT_TRUE(port.has_value()) << port.error().message;
  std::thread thread([&] { server.run(); });
  RawHttpClient client(*port);
  client.get("/");
  EXPECT_EQ(client.read_response().body, "GET / ");
  server.stop();
  thread.join();
}

TEST(HttpServer, SaysWhyItCannotListen) {
  ServerOnThread first({}, echo);
  HttpServer second({}, echo);
  const auto in_use = second.listen("127.0.0.1", first.port);
  ASSERT_FALSE(in_use.has_value());
  EXPECT_EQ(in_use.error().kind, ErrorKind::conflict);
  const auto nowhere = second.listen("192.0.2.1", 0);
  ASSERT_FALSE(nowhere.has_value());
  EXPECT_EQ(nowhere.error().kind, ErrorKind::invalid);
  const auto nonsense = second.listen("not a host", 0);
  ASSERT_FALSE(nonsense.has_value());
  EXPECT_EQ(nonsense.error().kind, ErrorKind::invalid);
}

TEST(HttpServer, StopClosesEverythingAndTellsTheExchanges) {
  std::promise<void> arrived;
  std::shared_ptr<HttpExchange> kept;
  bool gone = false;
  auto server = std::make_unique<ServerOnThread>(HttpLimits(), [&](std::shared_ptr<HttpExchange> exchange) {
    kept = std::move(exchange);
    kept->on_gone([&] { gone = true; });
    arrived.set_value();
  });
  RawHttpClient client(server->port), idle(server->port);
  client.get("/");
  arrived.get_future().wait();
  server->server.stop();
  server->join();
  EXPECT_TRUE(gone);
  EXPECT_TRUE(kept->gone());
  EXPECT_TRUE(client.at_end());
  EXPECT_TRUE(idle.at_end());
  server.reset();
  kept->respond({});  // ignored
}

TEST(HttpServer, DrainLetsRunningExchangesFinish) {
  std::promise<std::shared_ptr<HttpExchange>> given;
  ServerOnThread server({}, [&](std::shared_ptr<HttpExchange> exchange) { given.set_value(std::move(exchange)); });
  RawHttpClient idle(server.port), half(server.port), busy(server.port);
  half.send("GET / HT");
  busy.get("/");
  auto exchange = given.get_future().get();
  ASSERT_EQ(server.counts().connections_open, 3u);

  server.server.drain(60s);
  EXPECT_TRUE(idle.at_end());
  EXPECT_TRUE(half.at_end());
  server.server.executor().post([&] {
    exchange->respond({.headers = {}, .body = "last words"});
    exchange.reset();
  });
  const RawResponse response = busy.read_response();
  EXPECT_EQ(response.body, "last words");
  EXPECT_TRUE(response.has("Connection: close\r\n"));
  EXPECT_TRUE(busy.at_end());
  server.join();  // run() has returned by itself
  EXPECT_FALSE(RawHttpClient(server.port).connected());
}

TEST(HttpServer, DrainAnswersWhoHasJustConnected) {
  ServerOnThread server({},
                        [](const std::shared_ptr<HttpExchange>& exchange) { exchange->respond({.headers = {}, .body = "yes"}); });
  RawHttpClient late(server.port), used(server.port);
  used.get("/");
  EXPECT_EQ(used.read_response().body, "yes");
  server.server.drain(60s);
  EXPECT_TRUE(used.at_end()) << "has nothing to say";
  late.get("/");
  const RawResponse response = late.read_response();
  EXPECT_EQ(response.body, "yes");
  EXPECT_TRUE(response.has("Connection: close\r\n"));
  EXPECT_TRUE(late.at_end());
  server.join();
}

TEST(HttpServer, TurnsClientsAwayBeforeItStops) {
  ServerOnThread server({},
                        [](const std::shared_ptr<HttpExchange>& exchange) { exchange->respond({.headers = {}, .body = "yes"}); });
  RawHttpClient kept(server.port);
  kept.get("/");
  EXPECT_FALSE(kept.read_response().has("Connection: close\r\n"));
  std::promise<void> turned;
  server.server.executor().post([&] {
    server.server.turn_clients_away();
    turned.set_value();
  });
  turned.get_future().wait();
  kept.get("/");
  EXPECT_TRUE(kept.read_response().has("Connection: close\r\n"));
  EXPECT_TRUE(kept.at_end());
  EXPECT_TRUE(RawHttpClient(server.port).connected()) << "it still listens";
}

TEST(HttpServer, DrainEndsAtItsDeadline) {
  std::promise<void> arrived;
  std::shared_ptr<HttpExchange> kept;
  ServerOnThread server({}, [&](std::shared_ptr<HttpExchange> exchange) {
    kept = std::move(exchange);
    arrived.set_value();
  });
  RawHttpClient client(server.port);
  client.get("/");
  arrived.get_future().wait();
  server.server.drain(5ms);
  server.join();
  EXPECT_TRUE(kept->gone());
  EXPECT_TRUE(client.at_end());
}

TEST(HttpServer, DrainWithoutConnectionsReturnsAtOnce) {
  ServerOnThread server({}, echo);
  bool told = false;
  server.server.on_drain([&] { told = true; });
  server.server.drain(1h);
  server.join();
  EXPECT_TRUE(told);
}

}  // namespace
}  // namespace holdfast::net
