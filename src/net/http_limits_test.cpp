// Clients that are slow, many, rude, or all of that.

#include "net/http_server.h"
#include "net/raw_http_client.h"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/times.h>

#include <atomic>
#include <ctime>
#include <memory>
#include <string>
#include <vector>

namespace holdfast::net {
namespace {

using namespace std::chrono_literals;

// Long enough that a busy machine gets a request through in it, short enough to wait for.
constexpr auto kShort = 250ms;

void answer_ok(const std::shared_ptr<HttpExchange>& exchange) {
  exchange->respond({.headers = {}, .body = "ok"});
}

TEST(HttpLimits, ASlowHeaderIsAnsweredWith408) {
  HttpLimits limits;
  limits.header_timeout = kShort;
  ServerOnThread server(limits, answer_ok);
  RawHttpClient client(server.port);
  client.send("GET / HTTP/1.1\r\nHo");
  EXPECT_EQ(client.read_response().status, 408);
  EXPECT_TRUE(client.at_end());
  EXPECT_EQ(server.counts().timeouts, 1u);
}

TEST(HttpLimits, MoreBytesDoNotExtendTheTimeForAHeader) {
  HttpLimits limits;
  limits.header_timeout = kShort;
  limits.max_header_bytes = 64 << 20;  // no client fills it a byte at a time before its time is over
  ServerOnThread server(limits, answer_ok);
  RawHttpClient client(server.port);
  client.send("GET / HTTP/1.1\r\nX: ");
  std::atomic<bool> answered = false;
  std::thread dripping([&] {
    while (!answered && client.send("x")) std::this_thread::yield();
  });
  const int status = client.read_response().status;
  answered = true;
  dripping.join();
  EXPECT_EQ(status, 408);
}

TEST(HttpLimits, ASlowBodyIsAnsweredWith408) {
  HttpLimits limits;
  limits.body_timeout = kShort;
  ServerOnThread server(limits, answer_ok);
  RawHttpClient client(server.port);
  client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n123");
  EXPECT_EQ(client.read_response().status, 408);
  EXPECT_TRUE(client.at_end());
}

TEST(HttpLimits, AnIdleConnectionIsClosedWithoutAWord) {
  HttpLimits limits;
  limits.idle_timeout = kShort;
  ServerOnThread server(limits, answer_ok);
  RawHttpClient silent(server.port);
  const auto used = server.connect_sending("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_EQ(used->read_response().body, "ok");
  EXPECT_TRUE(used->at_end());
  EXPECT_TRUE(silent.at_end());
}

TEST(HttpLimits, AHandlerMayTakeItsTime) {
  HttpLimits limits;
  limits.idle_timeout = limits.header_timeout = limits.body_timeout = limits.write_timeout = kShort;
  std::shared_ptr<HttpExchange> kept;
  std::promise<void> arrived;
  ServerOnThread server(limits, [&](std::shared_ptr<HttpExchange> exchange) {
    kept = std::move(exchange);
    arrived.set_value();
  });
  const auto client = server.connect_sending("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  arrived.get_future().wait();
  RawHttpClient other(server.port);
  EXPECT_TRUE(other.at_end());  // so the time has passed for one that waits
  server.ask([&] { return answer_ok(kept), 0; });
  EXPECT_EQ(client->read_response().body, "ok");
}

TEST(HttpLimits, AClientThatDoesNotReadIsClosed) {
  HttpLimits limits;
  limits.write_timeout = kShort;
  ServerOnThread server(limits,
                        [](const auto& exchange) { exchange->respond({.headers = {}, .body = std::string(64 << 20, 'x')}); });
  RawHttpClient client(server.port, 4096);
  client.get("/");
  while (server.counts().timeouts == 0) std::this_thread::yield();
  EXPECT_LT(client.read_to_end().size(), 64u << 20);
}

TEST(HttpLimits, OversizedAndMalformedRequestsAreToldAndClosed) {
  HttpLimits limits;
  limits.max_header_bytes = 1024;
  limits.max_body_bytes = 1024;
  ServerOnThread server(limits, answer_ok);
  const std::pair<int, std::string> cases[] = {
      {400, "NONSENSE\r\n\r\n"},
      {400, "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"},
      {413, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1025\r\n\r\n"},
      {431, "GET / HTTP/1.1\r\nX: " + std::string(2000, 'x')},
      {505, "GET / HTTP/3.0\r\nHost: a\r\n\r\n"},
  };
  for (const auto& [status, text] : cases) {
    RawHttpClient client(server.port);
    client.send(text);
    const RawResponse response = client.read_response();
    EXPECT_EQ(response.status, status) << text;
    EXPECT_TRUE(response.has("Connection: close\r\n"));
    EXPECT_TRUE(client.at_end());
  }
  EXPECT_EQ(server.counts().bad_requests, std::size(cases));
}

TEST(HttpLimits, AnEarlierRequestIsStillAnsweredBeforeTheMalformedOne) {
  ServerOnThread server({}, answer_ok);
  RawHttpClient client(server.port);
  client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\nBAD\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_EQ(client.read_response().body, "ok");
  EXPECT_EQ(client.read_response().status, 400);
  EXPECT_TRUE(client.at_end());
  EXPECT_EQ(server.counts().requests_total, 1u);
}

TEST(HttpLimits, AClientThatIsStillSendingCanReadWhyItWasRefused) {
  HttpLimits limits;
  limits.max_body_bytes = 1024;
  ServerOnThread server(limits, answer_ok);
  RawHttpClient client(server.port);
  // Closing with unread bytes would reset the connection and destroy the answer on its way.
  EXPECT_TRUE(client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4000000\r\n\r\n" + std::string(4'000'000, 'x')));
  EXPECT_EQ(client.read_response().status, 413);
}

TEST(HttpLimits, AClientThatNeverStopsSendingDoesNotKeepTheOthersWaiting) {
  ServerOnThread server({}, answer_ok);
  RawHttpClient flooding(server.port), polite(server.port);
  std::promise<void> refused;
  std::thread flood([&] {
    const std::string megabyte(1 << 20, 'x');
    flooding.send("BAD\r\n\r\n");
    refused.set_value();
    while (flooding.send(megabyte)) {  // ends when the server stops lingering
    }
  });
  refused.get_future().wait();
  for (int i = 0; i < 20; ++i) {
    polite.get("/");
    EXPECT_EQ(polite.read_response().status, 200);
  }
  flood.join();
}

TEST(HttpLimits, ConnectionsBeyondTheLimitAreRefused) {
  HttpLimits limits;
  limits.max_connections = 3;
  ServerOnThread server(limits, answer_ok);
  std::vector<std::unique_ptr<RawHttpClient>> clients;
  for (int i = 0; i < 3; ++i) {
    clients.push_back(std::make_unique<RawHttpClient>(server.port));
    clients.back()->get("/");
    EXPECT_EQ(clients.back()->read_response().status, 200);
  }
  RawHttpClient refused(server.port);
  refused.get("/");
  EXPECT_EQ(refused.read_response().status, 503);
  EXPECT_TRUE(refused.at_end());
  refused.close();
  EXPECT_EQ(server.counts().refused_connections, 1u);

  clients.clear();
  while (server.counts().connections_open != 0) std::this_thread::yield();
  RawHttpClient welcome(server.port);
  welcome.get("/");
  EXPECT_EQ(welcome.read_response().status, 200);
}

TEST(HttpLimits, RunningOutOfDescriptorsIsSurvivedWithoutSpinning) {
  ServerOnThread server({}, answer_ok);
  RawHttpClient early(server.port), late(server.port);
  early.get("/");
  ASSERT_EQ(early.read_response().status, 200);
  ASSERT_TRUE(late.connected());
  late.get("/");
  ASSERT_EQ(late.read_response().status, 200);

  // The kernel completes the connection; accept() is what fails.
  rlimit before{};
  ::getrlimit(RLIMIT_NOFILE, &before);
  Fd probe(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  const rlimit tight{.rlim_cur = static_cast<rlim_t>(probe.get()) + 1, .rlim_max = before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &tight), 0);
  probe.reset();
  RawHttpClient waiting(server.port);  // takes the last descriptor
  ASSERT_TRUE(waiting.connected());
  waiting.get("/");

  // Those who are in are served meanwhile, and the loop sleeps.
  const std::clock_t cpu_before = std::clock();
  for (int i = 0; i < 3; ++i) {
    early.get("/");
    EXPECT_EQ(early.read_response().status, 200);
  }
  server.ask([] { return 0; });
  std::promise<void> later;
  server.server.executor().post([&] { server.server.executor().after(250ms, [&] { later.set_value(); }); });
  later.get_future().get();
  const double cpu_ms = 1000.0 * static_cast<double>(std::clock() - cpu_before) / CLOCKS_PER_SEC;
  EXPECT_LT(cpu_ms, 125.0) << "spinning would have taken all of 250 ms";

  ::setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_EQ(waiting.read_response().status, 200);
}

}  // namespace
}  // namespace holdfast::net
