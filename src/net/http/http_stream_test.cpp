// Answers of unknown length, and clients that leave.

#include "net/http/http_server.h"
#include "net/http/test_http_client.h"

#include <gtest/gtest.h>

#include <malloc.h>
#include <sys/resource.h>

#include <condition_variable>
#include <cstdio>
#include <deque>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace holdfast::net {
namespace {

using namespace std::chrono_literals;

const HttpHeaders kEventStream = {{"Content-Type", "text/event-stream; charset=utf-8"}};

// Hands each exchange to the test, which uses it on the server's thread.
class StreamServer {
 public:
  explicit StreamServer(const HttpLimits& limits = {})
      : server(limits, [this](std::shared_ptr<HttpExchange> exchange) { take(std::move(exchange)); }) {}

  std::shared_ptr<HttpExchange> next() {
    std::unique_lock lock(mutex_);
    arrived_.wait(lock, [&] { return !exchanges_.empty(); });
    auto exchange = std::move(exchanges_.front());
    exchanges_.pop_front();
    return exchange;
  }
  template <class Call>
  void run(Call call) {
    server.ask([&] { return call(), 0; });
  }

 private:
  void take(std::shared_ptr<HttpExchange> exchange) {
    std::lock_guard lock(mutex_);
    exchanges_.push_back(std::move(exchange));
    arrived_.notify_one();
  }
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<std::shared_ptr<HttpExchange>> exchanges_;

 public:
  ServerOnThread server;  // last: its thread uses the members above
};

TEST(HttpStream, SendsChunksAsTheyComeAndKeepsTheConnection) {
  StreamServer streams;
  RawHttpClient client(streams.server.port);
  client.get("/");
  auto exchange = streams.next();
  streams.run([&] { exchange->start_stream(200, kEventStream); });
  const std::string head = client.read_through("\r\n\r\n");
  EXPECT_NE(head.find("Transfer-Encoding: chunked\r\n"), std::string::npos);
  EXPECT_EQ(streams.server.counts().streams_open, 1u);
  for (const char* text : {"data: 1\n\n", "data: 2\n\n"}) {
    streams.run([&] { exchange->write(text); });
    EXPECT_EQ(client.read_chunk(), text);
  }
  streams.run([&] {
    exchange->write("");  // must not look like the end
    exchange->write("data: 3\n\n");
    exchange->end();
    exchange->write("too late");
  });
  EXPECT_EQ(client.read_chunk(), "data: 3\n\n");
  EXPECT_EQ(client.read_chunk(), "");
  EXPECT_EQ(streams.server.counts().streams_open, 0u);

  client.get("/again");
  exchange = streams.next();
  EXPECT_EQ(exchange->request().path, "/again");
  streams.run([&] { exchange->respond({.headers = {}, .body = "same connection"}); });
  EXPECT_EQ(client.read_response().body, "same connection");
}

TEST(HttpStream, EndsWithTheConnectionInHttp10) {
  StreamServer streams;
  RawHttpClient client(streams.server.port);
  client.send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  auto exchange = streams.next();
  streams.run([&] {
    exchange->start_stream(200, {});
    exchange->write("plain ");
    exchange->write("bytes");
    exchange->end();
  });
  const RawResponse response = client.read_response();
  EXPECT_FALSE(response.has("chunked"));
  EXPECT_TRUE(response.has("Connection: close\r\n"));
  EXPECT_EQ(response.body, "plain bytes");
}

TEST(HttpStream, SendsNothingAfterTheHeadForHead) {
  StreamServer streams;
  RawHttpClient client(streams.server.port);
  client.send("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n");
  auto exchange = streams.next();
  streams.run([&] {
    exchange->start_stream(200, {});
    exchange->write("unseen");
    exchange->end();
  });
  EXPECT_EQ(client.read_response(true).status, 200);
  client.get("/");
  exchange = streams.next();
  streams.run([&] { exchange->respond({.headers = {}, .body = "next"}); });
  EXPECT_EQ(client.read_response().body, "next");
}

TEST(HttpStream, AnEventStreamIsKeptAliveWhenSilent) {
  HttpLimits limits;
  limits.stream_keep_alive = 5ms;
  StreamServer streams(limits);
  RawHttpClient client(streams.server.port);
  client.get("/");
  auto exchange = streams.next();
  streams.run([&] { exchange->start_stream(200, kEventStream); });
  client.read_through("\r\n\r\n");
  EXPECT_EQ(client.read_chunk(), ": keep-alive\n\n");
  EXPECT_EQ(client.read_chunk(), ": keep-alive\n\n");
}

TEST(HttpStream, AnotherStreamIsNotTouchedWhenSilent) {
  HttpLimits limits;
  limits.stream_keep_alive = 1ms;
  StreamServer streams(limits);
  RawHttpClient plain(streams.server.port), events(streams.server.port);
  plain.get("/");
  auto first = streams.next();
  streams.run([&] { first->start_stream(200, {{"Content-Type", "text/plain"}}); });
  events.get("/");
  auto second = streams.next();
  streams.run([&] { second->start_stream(200, kEventStream); });
  events.read_through("\r\n\r\n");
  for (int i = 0; i < 3; ++i) EXPECT_EQ(events.read_chunk(), ": keep-alive\n\n");
  streams.run([&] { first->write("only this"); });
  plain.read_through("\r\n\r\n");
  EXPECT_EQ(plain.read_chunk(), "only this");
}

TEST(HttpStream, AForgottenStreamIsCutOff) {
  StreamServer streams;
  RawHttpClient client(streams.server.port);
  client.get("/");
  auto exchange = streams.next();
  streams.run([&] {
    exchange->start_stream(200, kEventStream);
    exchange->write("some");
    exchange.reset();
  });
  client.read_through("\r\n\r\n");
  EXPECT_EQ(client.read_chunk(), "some");
  EXPECT_EQ(client.read_chunk(), std::nullopt);
}

TEST(HttpStream, LearnsThatTheClientHasGoneWhileWorking) {
  StreamServer streams;
  RawHttpClient client(streams.server.port);
  client.get("/");
  auto exchange = streams.next();
  std::promise<void> gone;
  streams.run([&] { exchange->on_gone([&] { gone.set_value(); }); });
  client.close();
  gone.get_future().get();
  streams.run([&] {
    EXPECT_TRUE(exchange->gone());
    exchange->respond({});  // ignored
    bool again = false;
    exchange->on_gone([&] { again = true; });
    EXPECT_TRUE(again) << "who asks late is told at once";
  });
  EXPECT_EQ(streams.server.counts().connections_open, 0u);
}

TEST(HttpStream, LearnsThatTheClientHasGoneWhileStreaming) {
  StreamServer streams;
  RawHttpClient client(streams.server.port);
  client.get("/");
  auto exchange = streams.next();
  std::promise<void> gone;
  streams.run([&] {
    exchange->start_stream(200, kEventStream);
    exchange->write("x");
    exchange->on_gone([&] { gone.set_value(); });
  });
  client.read_through("\r\n\r\n");
  client.close();
  gone.get_future().get();
  EXPECT_EQ(streams.server.counts().streams_open, 0u);
  streams.run([&] { exchange->write("ignored"); });
}

TEST(HttpStream, LearnsThatTheClientHasGoneBehindPipelinedRequests) {
  StreamServer streams;
  RawHttpClient client(streams.server.port);
  client.get("/");
  auto exchange = streams.next();
  std::promise<void> gone;
  streams.run([&] { exchange->on_gone([&] { gone.set_value(); }); });
  // More than the server keeps ahead, so that the end lies behind bytes it will not read.
  client.send(std::string(100'000, 'G'));
  client.close();
  gone.get_future().get();
}

TEST(HttpStream, DoesNotSayGoneAfterTheAnswer) {
  StreamServer streams;
  RawHttpClient client(streams.server.port);
  client.get("/");
  auto exchange = streams.next();
  bool gone = false;
  streams.run([&] {
    exchange->on_gone([&] { gone = true; });
    exchange->respond({});
  });
  EXPECT_EQ(client.read_response().status, 200);
  client.close();
  while (streams.server.counts().connections_open != 0) std::this_thread::yield();
  EXPECT_FALSE(gone);
  EXPECT_FALSE(exchange->gone());
}

TEST(HttpStream, AReaderThatIsTooSlowLosesTheStream) {
  HttpLimits limits;
  limits.max_queued_bytes = 256 * 1024;
  StreamServer streams(limits);
  RawHttpClient client(streams.server.port, 4096);
  client.get("/");
  auto exchange = streams.next();
  std::promise<void> gone;
  bool inside_write = false;
  streams.run([&] {
    exchange->start_stream(200, kEventStream);
    exchange->on_gone([&] {
      EXPECT_FALSE(inside_write);
      gone.set_value();
    });
    const std::string event(64 * 1024, 'e');
    for (int i = 0; i < 1000 && !exchange->gone(); ++i) {
      inside_write = true;
      exchange->write(event);
      inside_write = false;
    }
    EXPECT_TRUE(exchange->gone());
  });
  gone.get_future().get();
  EXPECT_EQ(streams.server.counts().streams_open, 0u);
}

TEST(HttpStream, AReaderThatKeepsUpMayTakeAnyAmount) {
  HttpLimits limits;
  limits.max_queued_bytes = 256 * 1024;
  StreamServer streams(limits);
  RawHttpClient client(streams.server.port);
  client.get("/");
  auto exchange = streams.next();
  streams.run([&] { exchange->start_stream(200, {}); });
  client.read_through("\r\n\r\n");
  const std::string part(100 * 1024, 'p');
  for (int i = 0; i < 50; ++i) {
    streams.run([&] { exchange->write(part); });
    ASSERT_EQ(client.read_chunk(), part);
  }
}

TEST(HttpStream, DrainLetsStreamsEndInTheirOwnWay) {
  StreamServer streams;
  RawHttpClient client(streams.server.port);
  client.get("/");
  auto exchange = streams.next();
  streams.run([&] {
    exchange->start_stream(200, kEventStream);
    streams.server.server.on_drain([&] {
      exchange->write("data: bye\n\n");
      exchange->end();
    });
  });
  streams.server.server.drain(60s);
  EXPECT_EQ(client.read_response().body, "data: bye\n\n");
  EXPECT_TRUE(client.at_end());
  streams.server.join();
}

// Where a sanitizer has put its allocator in the place of the system's, it must be asked.
extern "C" std::size_t __sanitizer_get_current_allocated_bytes() __attribute__((weak));

// What is allocated now, whatever earlier tests have left behind in the allocator.
std::size_t allocated_bytes() {
  return __sanitizer_get_current_allocated_bytes ? __sanitizer_get_current_allocated_bytes() : ::mallinfo2().uordblks;
}

TEST(HttpStream, AnIdleStreamCostsLittleMemory) {
  // Both ends are in this process: two descriptors a stream.
  rlimit files{};
  ::getrlimit(RLIMIT_NOFILE, &files);
  const std::size_t count = std::min<std::size_t>(2000, (files.rlim_cur - 100) / 2);
  std::vector<std::shared_ptr<HttpExchange>> exchanges;
  std::vector<std::unique_ptr<RawHttpClient>> clients;
  exchanges.reserve(count);
  clients.reserve(count);
  ServerOnThread server({}, [&](std::shared_ptr<HttpExchange> exchange) {
    exchange->start_stream(200, kEventStream);
    exchange->write("data: hello\n\n");
    exchanges.push_back(std::move(exchange));
  });
  const auto open_one = [&] {
    clients.push_back(std::make_unique<RawHttpClient>(server.port));
    clients.back()->send(
        "GET /mcp HTTP/1.1\r\nHost: 127.0.0.1:4747\r\nAccept: text/event-stream\r\nAuthorization: Bearer "
        "0123456789abcdef0123456789abcdef\r\nMCP-Protocol-Version: 2025-11-25\r\nMcp-Session-Id: 0190a5e2-7c1d-7000-8000-"
        "000000000000\r\nUser-Agent: a client with a name\r\nConnection: keep-alive\r\n\r\n");
    clients.back()->read_through("hello");
  };
  open_one();  // what is needed once is not the stream's
  const std::size_t before = allocated_bytes();
  for (std::size_t i = 1; i < count; ++i) open_one();
  const std::size_t each = (allocated_bytes() - before) / (count - 1);
  EXPECT_EQ(server.counts().streams_open, count);
  std::printf("%zu idle streams: %zu bytes of memory each, the test's client included\n", count, each);
  EXPECT_GT(each, 100u) << "something was measured";
  EXPECT_LE(each, 4096u);
  server.ask([&] { return exchanges.clear(), 0; });
}

}  // namespace
}  // namespace holdfast::net
