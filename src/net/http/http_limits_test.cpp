// Clients that are slow, many, rude, or all of that.

#include "base/run/log.h"
#include "net/http/http_server.h"
#include "net/http/test_http_client.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
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
  // UBSan opens a pipe when it meets a type for the first time: the log's clock has to be met before.
  log(LogLevel::warn, "net", "descriptors are about to run out");

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

std::string post_of(std::string_view path, std::size_t body_size, bool chunked) {
  const std::string body(body_size, 'b'), head = "POST " + std::string(path) + " HTTP/1.1\r\nHost: a\r\n";
  if (!chunked) return head + "Content-Length: " + std::to_string(body_size) + "\r\n\r\n" + body;
  std::string text = head + "Transfer-Encoding: chunked\r\n\r\n";
  if (body_size > 0) text += fmt::format("{:x}\r\n", body_size) + body + "\r\n";
  return text + "0\r\n\r\n";
}

void answer_size(const std::shared_ptr<HttpExchange>& exchange) {
  exchange->respond({.headers = {}, .body = std::to_string(exchange->request().body.size())});
}

// Everybody waits for a verdict that does not come; who is known has to get in nevertheless.
TEST(HttpLimits, P4StrangersUnderJudgementMakeRoomToo) {
  HttpLimits limits;
  limits.max_strangers = 4;
  std::vector<std::shared_ptr<HttpExchange>> undecided;
  ServerOnThread server(
      limits,
      [&](std::shared_ptr<HttpExchange> exchange) {
        if (exchange->request().path != "/in") return undecided.push_back(std::move(exchange));
        exchange->admit([exchange] { answer_size(exchange); });
      },
      ServerOnThread::Called::with_heads);
  std::vector<std::unique_ptr<RawHttpClient>> strangers;
  for (int i = 0; i < 4; ++i) strangers.push_back(server.connect_sending("GET /out HTTP/1.1\r\nHost: a\r\n\r\n"));
  while (server.counts().requests_total < 4) std::this_thread::yield();
  RawHttpClient known(server.port);
  known.get("/in");
  EXPECT_EQ(known.read_response().status, 200);
  EXPECT_TRUE(strangers.front()->at_end());
  EXPECT_TRUE(server.ask([&] { return undecided.front()->gone() && !undecided.back()->gone(); }));
  server.ask([&] { return undecided.clear(), 0; });
}

// Admits who asks for /in, at once or later, and refuses everybody else.
HttpServer::Handler doorman(std::function<Executor&()> later = {}) {
  return [later](const std::shared_ptr<HttpExchange>& exchange) {
    EXPECT_EQ(exchange->request().body, "") << "nothing is read of a stranger";
    const auto judge = [exchange] {
      if (exchange->request().path != "/in") return exchange->respond({.status = 403, .headers = {}, .body = "no"});
      exchange->admit([exchange] { answer_size(exchange); });
    };
    if (later)
      later().post(judge);
    else
      judge();
  };
}

TEST(HttpLimits, P4TheBodyOfAnAdmittedClientComesWhole) {
  ServerOnThread* running = nullptr;
  for (const bool later : {false, true}) {
    ServerOnThread server(
        {}, doorman(later ? [&]() -> Executor& { return running->server.executor(); } : std::function<Executor&()>()),
        ServerOnThread::Called::with_heads);
    running = &server;
    RawHttpClient client(server.port);
    for (const bool chunked : {false, true}) {
      for (const std::size_t size : {0UZ, 1UZ, 8'000UZ, 8'192UZ, 100'000UZ, 3'000'000UZ}) {
        std::thread sender([&] { client.send(post_of("/in", size, chunked) + "GET /in HTTP/1.1\r\nHost: a\r\n\r\n"); });
        EXPECT_EQ(client.read_response().body, std::to_string(size)) << later << chunked;
        EXPECT_EQ(client.read_response().body, "0") << "the next request is where this one ends";
        sender.join();
      }
    }
  }
}

TEST(HttpLimits, P4TheBodyOfARefusedClientIsNotWaitedFor) {
  ServerOnThread server({}, doorman(), ServerOnThread::Called::with_heads);
  for (const char* more : {"Content-Length: 16000000\r\n", "Content-Length: 16000000\r\nExpect: 100-continue\r\n",
                           "Transfer-Encoding: chunked\r\n"}) {
    RawHttpClient client(server.port);
    client.send("POST /out HTTP/1.1\r\nHost: a\r\n" + std::string(more) + "\r\n");
    const std::string head = client.read_through("\r\n\r\n");
    EXPECT_THAT(head, testing::StartsWith("HTTP/1.1 403 ")) << more;
    EXPECT_THAT(head, testing::HasSubstr("Connection: close\r\n")) << more;
    EXPECT_EQ(client.read_exactly(2), "no");
    EXPECT_TRUE(client.at_end());
  }
}

TEST(HttpLimits, P4ARefusedClientIsReadUntilItHasSeenWhy) {
  ServerOnThread server({}, doorman(), ServerOnThread::Called::with_heads);
  RawHttpClient client(server.port);
  EXPECT_TRUE(client.send(post_of("/out", 4'000'000, false)));
  EXPECT_EQ(client.read_response().status, 403);
}

TEST(HttpLimits, P4ARefusedRequestThatIsHereAlreadyCostsNoConnection) {
  ServerOnThread server({}, doorman(), ServerOnThread::Called::with_heads);
  RawHttpClient client(server.port);
  for (const bool chunked : {false, true}) {
    client.send(post_of("/out", 200, chunked) + post_of("/in", 300, chunked));
    const RawResponse refusal = client.read_response();
    EXPECT_EQ(refusal.status, 403);
    EXPECT_FALSE(refusal.has("Connection: close\r\n"));
    EXPECT_EQ(client.read_response().body, "300");
  }
}

TEST(HttpLimits, P4AllBodiesShareABudget) {
  HttpLimits limits;
  limits.max_bodies_bytes = 1'000'000;
  ServerOnThread server(limits, answer_size);
  RawHttpClient alone(server.port), slow(server.port);
  alone.send(post_of("/", 2'000'000, false));
  const RawResponse refusal = alone.read_response();
  EXPECT_EQ(refusal.status, 503);
  EXPECT_TRUE(refusal.has("Retry-After: "));
  EXPECT_TRUE(alone.at_end());

  slow.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 800001\r\n\r\n" + std::string(800'000, 's'));
  while (server.counts().body_bytes < 800'000) std::this_thread::yield();
  const auto status_of_another = [&] {
    RawHttpClient other(server.port);
    other.send(post_of("/", 300'000, true));
    return other.read_response().status;
  };
  EXPECT_EQ(status_of_another(), 503);
  slow.send("s");
  EXPECT_EQ(slow.read_response().body, "800001") << "who was there first is not the one to go";
  EXPECT_EQ(status_of_another(), 200) << "what was read is given back";
}

TEST(HttpLimits, P4WhoLeavesInTheMiddleOfABodyGivesItBack) {
  HttpLimits limits;
  limits.max_bodies_bytes = 1'000'000;
  ServerOnThread server(limits, answer_size);
  constexpr std::uint64_t kLeavers = 3;
  for (std::uint64_t i = 0; i < kLeavers; ++i) {
    RawHttpClient leaver(server.port);
    leaver.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 900000\r\n\r\n" + std::string(800'000, 's'));
  }
  const auto have_left = [&] {
    const HttpServer::Counts counts = server.counts();
    return counts.connections_total == kLeavers && counts.connections_open == 0;
  };
  while (!have_left()) std::this_thread::yield();
  RawHttpClient client(server.port);
  client.send(post_of("/", 900'000, false));
  EXPECT_EQ(client.read_response().body, "900000");
}

TEST(HttpLimits, P4AStrangerIsWaitedForAShortWhileOnly) {
  HttpLimits limits;
  limits.stranger_timeout = kShort;
  ServerOnThread server(limits, doorman(), ServerOnThread::Called::with_heads);
  RawHttpClient guest(server.port), silent(server.port);
  guest.get("/in");
  EXPECT_EQ(guest.read_response().status, 200);
  RawHttpClient refused(server.port);
  refused.get("/out");
  EXPECT_EQ(refused.read_response().status, 403);
  EXPECT_TRUE(silent.at_end());
  EXPECT_TRUE(refused.at_end());
  guest.get("/out");
  EXPECT_EQ(guest.read_response().status, 403) << "its connection is still there";
}

TEST(HttpLimits, P4StrangersMakeRoomForOneAnotherAndForGuests) {
  HttpLimits limits;
  limits.max_connections = 6;
  limits.max_strangers = 4;
  ServerOnThread server(limits, doorman(), ServerOnThread::Called::with_heads);
  RawHttpClient early(server.port);
  early.get("/in");
  EXPECT_EQ(early.read_response().status, 200);
  std::vector<std::unique_ptr<RawHttpClient>> strangers;
  for (int i = 0; i < 20; ++i) {
    strangers.push_back(std::make_unique<RawHttpClient>(server.port));
    strangers.back()->send(i % 2 == 0 ? "" : "GET /in HTTP/1.1\r\nHo");
  }
  RawHttpClient late(server.port);
  late.get("/in");
  EXPECT_EQ(late.read_response().status, 200);
  early.get("/in");
  EXPECT_EQ(early.read_response().status, 200);
  EXPECT_TRUE(strangers.front()->at_end()) << "the oldest has to go";
  strangers.back()->send("st: a\r\n\r\n");
  EXPECT_EQ(strangers.back()->read_response().status, 200) << "the newest need not";
  EXPECT_LE(server.counts().connections_open, 6u);
}

}  // namespace
}  // namespace holdfast::net
