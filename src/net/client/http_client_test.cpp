// The client against our own server, and against peers that behave badly. Loopback only.

#include "net/client/http_client.h"

#include "base/crypto/hash.h"
#include "base/files/file.h"
#include "base/files/test_folder.h"
#include "net/http/http_server.h"
#include "net/http/test_http_client.h"

#include <gmock/gmock.h>

#include <fcntl.h>

#include <atomic>
#include <future>
#include <mutex>

namespace holdfast::net {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::Not;

std::string url(std::uint16_t port, std::string_view path = "/", std::string_view host = "127.0.0.1") {
  return "http://" + std::string(host) + ':' + std::to_string(port) + std::string(path);
}

HttpCall get(std::string address) {
  HttpCall call;
  call.url = std::move(address);
  return call;
}

// Tells in its answer what it was asked, and remembers every request.
class EchoServer {
 public:
  EchoServer() : server_(limits(), [this](const auto& exchange) { answer(*exchange); }) {}

  std::uint16_t port() const { return server_.port; }
  std::vector<HttpRequest> seen() {
    const std::lock_guard lock(mutex_);
    return seen_;
  }

 private:
  static HttpLimits limits() {
    HttpLimits limits;
    limits.max_body_bytes = 64 << 20;
    return limits;
  }

  void answer(HttpExchange& exchange) {
    HttpRequest& request = exchange.request();
    HttpResponse response;
    if (request.path.starts_with("/status/")) response.status = std::stoi(request.path.substr(8));
    response.headers = {{"X-Twice", "first"}, {"X-Twice", "second"}};
    if (request.path == "/to") response.headers.emplace_back("Location", request.query);
    if (request.path == "/to") response.status = 302;
    response.body = request.path.starts_with("/sum") ? to_hex(sha256(request.body)) : request.method + ' ' + request.body;
    if (request.path.starts_with("/big/")) response.body.assign(std::stoul(request.path.substr(5)), 'b');
    const std::lock_guard lock(mutex_);
    seen_.push_back(request);
    exchange.respond(std::move(response));
  }

  std::mutex mutex_;
  std::vector<HttpRequest> seen_;  // guarded by mutex_
  ServerOnThread server_;
};

// Accepts one connection after another and does with each what it is told, on its own thread.
class RawPeer {
 public:
  explicit RawPeer(std::function<void(int socket)> behave) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    if (::bind(socket_.get(), reinterpret_cast<sockaddr*>(&address), size) != 0 || ::listen(socket_.get(), 8) != 0) return;
    ::getsockname(socket_.get(), reinterpret_cast<sockaddr*>(&address), &size);
    port = ntohs(address.sin_port);
    thread_ = std::thread([this, behave = std::move(behave)] {
      for (;;) {
        const Fd client(::accept(socket_.get(), nullptr, nullptr));
        if (!client) return;
        behave(client.get());
      }
    });
  }
  ~RawPeer() {
    ::shutdown(socket_.get(), SHUT_RDWR);
    if (thread_.joinable()) thread_.join();
  }

  static void read_request(int socket) {
    std::string text;
    char buffer[4096];
    while (text.find("\r\n\r\n") == text.npos) {
      const ssize_t got = ::recv(socket, buffer, sizeof buffer, 0);
      if (got <= 0) return;
      text.append(buffer, static_cast<std::size_t>(got));
    }
  }
  static void say(int socket, std::string_view text) { (void)!::send(socket, text.data(), text.size(), MSG_NOSIGNAL); }
  static void wait_until_it_leaves(int socket) {
    char buffer[4096];
    while (::recv(socket, buffer, sizeof buffer, 0) > 0) {
    }
  }

  std::uint16_t port = 0;

 private:
  Fd socket_;
  std::thread thread_;
};

class HttpClientTest : public ::testing::Test {
 protected:
  std::unique_ptr<HttpClient> client_ = HttpClient::make().value();
  TestFolder folder_;
};

TEST_F(HttpClientTest, AnyStatusIsAnAnswer) {
  EchoServer server;
  for (const int status : {200, 201, 304, 400, 401, 404, 422, 500, 503}) {
    const auto answer = client_->send(get(url(server.port(), "/status/" + std::to_string(status))));
    ASSERT_TRUE(answer) << answer.error().message;
    EXPECT_EQ(answer->status, status);
  }
}

TEST_F(HttpClientTest, HeadersHaveLowerCaseNamesAndTheLastOfANameCounts) {
  EchoServer server;
  const auto answer = client_->send(get(url(server.port())));
  EXPECT_EQ(answer.value().header("x-twice"), "second");
  EXPECT_EQ(answer.value().header("x-none"), "");
}

TEST_F(HttpClientTest, MethodsBodiesAndHeadersArriveAsGiven) {
  EchoServer server;
  for (const char* method : {"GET", "POST", "PATCH", "PUT", "DELETE"}) {
    HttpCall call = get(url(server.port(), "/a/../b?q=1"));
    call.method = method;
    call.headers = {{"X-Mine", "yes"}, {"X-Empty", ""}};
    if (call.method != "GET") call.body = "body";
    EXPECT_EQ(client_->send(call).value().body, call.method + ' ' + call.body);
    const HttpRequest seen = server.seen().back();
    EXPECT_EQ(seen.target, "/a/../b?q=1");
    EXPECT_EQ(*seen.header("x-mine"), "yes");
    EXPECT_EQ(*seen.header("x-empty"), "");
    EXPECT_EQ(*seen.header("user-agent"), "holdfast/" HOLDFAST_VERSION);
    EXPECT_EQ(seen.header("content-type"), nullptr);
  }
}

TEST_F(HttpClientTest, APostWithoutABodySaysSo) {
  EchoServer server;
  HttpCall call = get(url(server.port()));
  call.method = "POST";
  EXPECT_EQ(client_->send(call).value().body, "POST ");
  EXPECT_EQ(*server.seen().back().header("content-length"), "0");
}

TEST_F(HttpClientTest, APinnedAddressIsConnectedToWhateverTheNameIs) {
  EchoServer server;
  HttpCall call = get(url(server.port(), "/status/200", "name.that.resolves.nowhere.invalid"));
  call.pinned_address = "127.0.0.1";
  const auto answer = client_->send(call);
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(*server.seen().back().header("host"), "name.that.resolves.nowhere.invalid:" + std::to_string(server.port()));

  // Nothing of it is remembered for the next call.
  call.pinned_address.clear();
  EXPECT_EQ(client_->send(call).error().kind, ErrorKind::unavailable);
  call.pinned_address = "localhost";
  EXPECT_EQ(client_->send(call).error().kind, ErrorKind::invalid);
}

TEST_F(HttpClientTest, APinnedAddressIsNotLeftByARedirect) {
  EchoServer server;
  HttpCall call = get(url(server.port(), "/to?/elsewhere"));
  call.pinned_address = "127.0.0.1";
  EXPECT_EQ(client_->send(call).value().status, 302);
  EXPECT_EQ(server.seen().size(), 1U);
}

TEST_F(HttpClientTest, HeadHasNoBody) {
  EchoServer server;
  HttpCall call = get(url(server.port(), "/big/1000"));
  call.method = "HEAD";
  const auto answer = client_->send(call);
  EXPECT_EQ(answer.value().header("content-length"), "1000");
  EXPECT_EQ(answer.value().body, "");
}

TEST_F(HttpClientTest, BigBodiesAreStreamedBothWays) {
  EchoServer server;
  const std::string bytes = random_bytes(1 << 20);
  const std::string path = folder_ / "big";
  {
    const Fd out(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    for (int i = 0; i < 33; ++i) ASSERT_TRUE(write_all(out.get(), bytes));
  }
  const Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  HttpCall call = get(url(server.port(), "/sum"));
  call.method = "PUT";
  call.body_fd = file.get();
  call.body_size = 32 << 20;  // not all of it
  std::string expected;
  for (int i = 0; i < 32; ++i) expected += bytes;
  std::uint64_t last_sent = 0;
  call.progress = [&](std::uint64_t sent, std::uint64_t) {
    EXPECT_GE(sent, last_sent);
    last_sent = sent;
    return true;
  };
  EXPECT_EQ(client_->send(call).value().body, to_hex(sha256(expected)));

  HttpCall down = get(url(server.port(), "/big/33554432"));
  std::uint64_t received = 0, pieces = 0;
  down.sink = [&](std::string_view piece) -> Result<void> {
    received += piece.size();
    ++pieces;
    return {};
  };
  EXPECT_EQ(client_->send(down).value().body, "");
  EXPECT_EQ(received, 32u << 20);
  EXPECT_GT(pieces, 100u);
}

TEST_F(HttpClientTest, AFileShorterThanPromisedIsAnError) {
  EchoServer server;
  ASSERT_TRUE(create_file(folder_ / "short", "12345"));
  const Fd file(::open((folder_ / "short").c_str(), O_RDONLY | O_CLOEXEC));
  HttpCall call = get(url(server.port()));
  call.method = "PUT";
  call.body_fd = file.get();
  call.body_size = 10;
  const auto answer = client_->send(call);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().kind, ErrorKind::io);
  EXPECT_THAT(answer.error().message, HasSubstr("after 5 of 10 bytes"));
}

TEST_F(HttpClientTest, TheSinkGetsGoodAnswersOnly) {
  EchoServer server;
  HttpCall call = get(url(server.port(), "/status/404"));
  call.sink = [](std::string_view) -> Result<void> { return fail(ErrorKind::internal, "not for the sink"); };
  EXPECT_EQ(client_->send(call).value().body, "GET ");
}

TEST_F(HttpClientTest, AnErrorOfTheSinkStops) {
  EchoServer server;
  HttpCall call = get(url(server.port(), "/big/100000"));
  call.sink = [](std::string_view) -> Result<void> { return fail(ErrorKind::io, "disk full"); };
  const auto answer = client_->send(call);
  EXPECT_EQ(answer.error().kind, ErrorKind::io);
  EXPECT_THAT(answer.error().message, HasSubstr("disk full"));
}

TEST_F(HttpClientTest, TheLimitHoldsForBodyAndSink) {
  EchoServer server;
  HttpCall call = get(url(server.port(), "/big/1000"));
  call.max_answer_bytes = 1000;
  EXPECT_EQ(client_->send(call).value().body.size(), 1000u);
  call.max_answer_bytes = 999;
  EXPECT_EQ(client_->send(call).error().kind, ErrorKind::too_large);
  std::size_t given = 0;
  call.sink = [&](std::string_view piece) -> Result<void> {
    given += piece.size();
    return {};
  };
  EXPECT_EQ(client_->send(call).error().kind, ErrorKind::too_large);
  EXPECT_LE(given, 999u);
}

TEST_F(HttpClientTest, RedirectsOfReadsAreFollowed) {
  EchoServer server;
  const auto answer = client_->send(get(url(server.port(), "/to?/status/201")));
  EXPECT_EQ(answer.value().status, 201);
  EXPECT_EQ(answer.value().body, "GET ");

  HttpCall call = get(url(server.port(), "/to?/status/201"));
  call.follow_redirects = false;
  EXPECT_EQ(client_->send(call).value().status, 302);
  call.follow_redirects = true;
  call.method = "POST";  // an action is not repeated elsewhere because somebody says so
  EXPECT_EQ(client_->send(call).value().status, 302);
}

TEST_F(HttpClientTest, CredentialsStayWithTheirHost) {
  EchoServer first, second;
  HttpCall call = get(url(first.port(), "/to?/again"));
  call.headers = {{"Authorization", "Bearer secret"}};
  ASSERT_TRUE(client_->send(call));
  EXPECT_EQ(*first.seen().back().header("authorization"), "Bearer secret");  // same host, same port

  call.url = url(first.port(), "/to?" + url(second.port(), "/elsewhere"));
  EXPECT_EQ(client_->send(call).value().status, 200);
  ASSERT_EQ(second.seen().size(), 1u);
  EXPECT_EQ(second.seen()[0].path, "/elsewhere");
  EXPECT_EQ(second.seen()[0].header("authorization"), nullptr);

  call.url = url(first.port(), "/to?" + url(first.port(), "/other-name", "localhost"));
  ASSERT_TRUE(client_->send(call));
  EXPECT_EQ(first.seen().back().path, "/other-name");
  EXPECT_EQ(first.seen().back().header("authorization"), nullptr);
}

TEST_F(HttpClientTest, RedirectsToOtherProtocolsOrInCirclesAreRefused) {
  EchoServer server;
  for (const char* target : {"file:///etc/passwd", "ftp://127.0.0.1/x", "gopher://127.0.0.1/"}) {
    const auto answer = client_->send(get(url(server.port(), std::string("/to?") + target)));
    ASSERT_FALSE(answer) << target;
    EXPECT_EQ(answer.error().kind, ErrorKind::unavailable);
  }
  RawPeer peer([](int socket) {
    RawPeer::read_request(socket);
    RawPeer::say(socket, "HTTP/1.1 302 Found\r\nLocation: /\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
  });
  EXPECT_EQ(client_->send(get(url(peer.port))).error().kind, ErrorKind::unavailable);
}

TEST_F(HttpClientTest, WhatIsNotARequestIsRefusedBeforeItIsSent) {
  for (const char* address :
       {"", "example.org", "ftp://127.0.0.1/", "file:///etc/passwd", "http://a b/", "http://127.0.0.1/\r\nX: y",
        "http://me:secret@127.0.0.1/", "https://me@127.0.0.1?x", "javascript:http://"}) {
    const auto answer = client_->send(get(address));
    ASSERT_FALSE(answer) << address;
    EXPECT_EQ(answer.error().kind, ErrorKind::invalid) << address;
    EXPECT_THAT(answer.error().message, Not(HasSubstr("secret")));
  }
  HttpCall call = get("http://127.0.0.1:1/");
  call.method = "GET / HTTP/1.1\r\nX:";
  EXPECT_EQ(client_->send(call).error().kind, ErrorKind::invalid);
  call.method = "GET";
  call.headers = {{"X-Ok", "a\r\nX-Smuggled: 1"}};
  EXPECT_EQ(client_->send(call).error().kind, ErrorKind::invalid);
  call.headers = {{"X-Bad: 1\r\nX-Other", "a"}};
  EXPECT_EQ(client_->send(call).error().kind, ErrorKind::invalid);
}

TEST_F(HttpClientTest, NobodyThereIsUnavailable) {
  std::uint16_t port = 0;
  {
    port = RawPeer([](int) {}).port;
  }
  const auto answer = client_->send(get(url(port, "/path?token=secret")));
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().kind, ErrorKind::unavailable);
  EXPECT_THAT(answer.error().message, HasSubstr("GET http://127.0.0.1:" + std::to_string(port) + "/path: "));
  EXPECT_THAT(answer.error().message, Not(HasSubstr("secret")));
}

TEST_F(HttpClientTest, ASilentPeerIsLeft) {
  RawPeer peer([](int socket) { RawPeer::wait_until_it_leaves(socket); });
  HttpCall call = get(url(peer.port));
  call.stalled_timeout = 30ms;
  EXPECT_EQ(client_->send(call).error().kind, ErrorKind::timeout);
}

TEST_F(HttpClientTest, APeerThatFallsSilentIsLeft) {
  RawPeer peer([](int socket) {
    RawPeer::read_request(socket);
    RawPeer::say(socket, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf");
    RawPeer::wait_until_it_leaves(socket);
  });
  HttpCall call = get(url(peer.port));
  call.stalled_timeout = 30ms;
  const auto answer = client_->send(call);
  EXPECT_EQ(answer.error().kind, ErrorKind::timeout);
  EXPECT_THAT(answer.error().message, HasSubstr("30 ms"));
}

TEST_F(HttpClientTest, APeerThatTakesNothingIsLeft) {
  std::promise<void> over;
  RawPeer peer([&](int socket) {
    RawPeer::read_request(socket);
    RawPeer::say(socket, "HTTP/1.1 100 Continue\r\n\r\n");
    over.get_future().wait();
  });
  HttpCall call = get(url(peer.port));
  call.method = "PUT";
  call.body.assign(64 << 20, 'x');
  call.stalled_timeout = 100ms;
  EXPECT_EQ(client_->send(call).error().kind, ErrorKind::timeout);
  over.set_value();
}

TEST_F(HttpClientTest, AnAnswerThatIsCutOffIsNotAnAnswer) {
  RawPeer peer([](int socket) {
    RawPeer::read_request(socket);
    RawPeer::say(socket, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf");
  });
  EXPECT_EQ(client_->send(get(url(peer.port))).error().kind, ErrorKind::unavailable);
  RawPeer chunked([](int socket) {
    RawPeer::read_request(socket);
    RawPeer::say(socket, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n");
  });
  EXPECT_EQ(client_->send(get(url(chunked.port))).error().kind, ErrorKind::unavailable);
  RawPeer mute([](int socket) { RawPeer::read_request(socket); });
  EXPECT_EQ(client_->send(get(url(mute.port))).error().kind, ErrorKind::unavailable);
  RawPeer other([](int socket) {
    RawPeer::read_request(socket);
    RawPeer::say(socket, "SSH-2.0-OpenSSH\r\n\r\n");
  });
  EXPECT_EQ(client_->send(get(url(other.port))).error().kind, ErrorKind::unavailable);
}

TEST_F(HttpClientTest, HeadersWithoutEndAreTooLarge) {
  RawPeer peer([](int socket) {
    RawPeer::read_request(socket);
    RawPeer::say(socket, "HTTP/1.1 200 OK\r\n");
    const std::string line = "X: " + std::string(8000, 'x') + "\r\n";
    for (int i = 0; i < 100; ++i) RawPeer::say(socket, line);
    RawPeer::wait_until_it_leaves(socket);
  });
  const auto answer = client_->send(get(url(peer.port)));
  ASSERT_FALSE(answer);
  EXPECT_TRUE(answer.error().kind == ErrorKind::too_large || answer.error().kind == ErrorKind::unavailable);
}

TEST_F(HttpClientTest, ALongErrorTextIsTooLargeWhateverADownloadMayBe) {
  RawPeer peer([](int socket) {
    RawPeer::read_request(socket);
    RawPeer::say(socket, "HTTP/1.1 500 Oops\r\n\r\n");
    const std::string text(1 << 20, 'x');
    for (int i = 0; i < 3; ++i) RawPeer::say(socket, text);
  });
  HttpCall call = get(url(peer.port));
  call.max_answer_bytes = 1ULL << 40;
  EXPECT_EQ(client_->send(call).error().kind, ErrorKind::too_large);
}

TEST_F(HttpClientTest, TheCallerMayStop) {
  RawPeer peer([](int socket) { RawPeer::wait_until_it_leaves(socket); });
  HttpCall call = get(url(peer.port));
  int asked = 0;
  call.progress = [&](std::uint64_t, std::uint64_t) { return ++asked < 3; };
  EXPECT_EQ(client_->send(call).error().kind, ErrorKind::cancelled);
  EXPECT_EQ(asked, 3);
}

TEST_F(HttpClientTest, WhatACallerThrowsIsAnError) {
  EchoServer server;
  HttpCall call = get(url(server.port(), "/big/100000"));
  call.sink = [](std::string_view) -> Result<void> { throw std::bad_alloc(); };
  EXPECT_EQ(client_->send(call).error().kind, ErrorKind::internal);
}

TEST_F(HttpClientTest, ConnectionsAreKeptAndTheirEndIsNoError) {
  std::atomic<int> connections = 0;
  RawPeer peer([&](int socket) {  // answers twice, then leaves without a word
    ++connections;
    for (int i = 0; i < 2; ++i) {
      RawPeer::read_request(socket);
      RawPeer::say(socket, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
    }
  });
  for (int i = 0; i < 6; ++i) {
    const auto answer = client_->send(get(url(peer.port)));
    ASSERT_TRUE(answer) << answer.error().message;
    EXPECT_EQ(answer->body, "ok");
  }
  EXPECT_EQ(connections, 3);
}

TEST_F(HttpClientTest, AfterAFailureTheClientIsAsGoodAsNew) {
  EchoServer server;
  HttpCall call = get(url(server.port(), "/big/1000000"));
  call.max_answer_bytes = 10;
  EXPECT_EQ(client_->send(call).error().kind, ErrorKind::too_large);
  EXPECT_EQ(client_->send(get(url(server.port()))).value().body, "GET ");
}

}  // namespace
}  // namespace holdfast::net
