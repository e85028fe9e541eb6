// What a request costs the server's thread (user and system CPU), beside the least that any server
// could spend: a loop of epoll_wait, recv and send that parses nothing. The argument is the number of
// connections that have a request open at the same time.
//
// Look at cpu_us_per_request; wall time is mostly the client's.

#include "base/files/fd.h"
#include "net/http/http_server.h"
#include "net/http/test_http_client.h"

#include <benchmark/benchmark.h>

#include <netinet/tcp.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <time.h>

#include <array>
#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace holdfast::net {
namespace {

// What an MCP client sends and gets for a small tool call.
const std::string kRequest = [] {
  const std::string body =
      R"({"jsonrpc":"2.0","id":12345,"method":"tools/call","params":{"name":"echo","arguments":{"message":"0123456789abcdef"}}})";
  return "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:4747\r\nContent-Type: application/json\r\nAccept: application/json, "
         "text/event-stream\r\n"
         "MCP-Protocol-Version: 2025-11-25\r\nMcp-Session-Id: 0190a5e2-7c1d-7000-8000-000000000000\r\nContent-Length: " +
         std::to_string(body.size()) + "\r\n\r\n" + body;
}();
const std::string kAnswer = R"({"jsonrpc":"2.0","id":12345,"result":{"content":[{"type":"text","text":"0123456789abcdef"}]}})";

double cpu_seconds(std::thread& thread) {
  clockid_t clock{};
  timespec time{};
  ::pthread_getcpuclockid(thread.native_handle(), &clock);
  ::clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

void measure(benchmark::State& state, std::uint16_t port, std::thread& server) {
  std::vector<std::unique_ptr<RawHttpClient>> clients;
  for (int i = 0; i < state.range(0); ++i) clients.push_back(std::make_unique<RawHttpClient>(port));
  std::int64_t requests = 0;
  const double before = cpu_seconds(server);
  for (auto _ : state) {
    for (const auto& client : clients) client->send(kRequest);
    for (const auto& client : clients)
      if (client->read_response().status != 200) state.SkipWithError("no answer");
    requests += state.range(0);
  }
  state.counters["cpu_us_per_request"] = 1e6 * (cpu_seconds(server) - before) / static_cast<double>(requests);
  state.SetItemsProcessed(requests);
}

void floor_loop(int listener, const std::atomic<bool>& stopping) {
  const std::string response =
      "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: " + std::to_string(kAnswer.size()) + "\r\n\r\n" +
      kAnswer;
  const Fd epoll(::epoll_create1(EPOLL_CLOEXEC));
  std::vector<Fd> clients;
  const auto watch = [&](int fd) {
    epoll_event event{.events = EPOLLIN, .data = {.fd = fd}};
    ::epoll_ctl(epoll.get(), EPOLL_CTL_ADD, fd, &event);
  };
  watch(listener);
  std::array<epoll_event, 128> events;
  std::vector<char> buffer(64 * 1024);
  while (!stopping) {
    const int count = ::epoll_wait(epoll.get(), events.data(), static_cast<int>(events.size()), 100);
    for (int i = 0; i < count; ++i) {
      const int fd = events[static_cast<std::size_t>(i)].data.fd;
      if (fd == listener) {
        clients.emplace_back(::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC));
        const int on = 1;
        ::setsockopt(clients.back().get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        watch(clients.back().get());
      } else if (::recv(fd, buffer.data(), buffer.size(), 0) <= 0 ||
                 ::send(fd, response.data(), response.size(), MSG_NOSIGNAL) <= 0) {
        ::epoll_ctl(epoll.get(), EPOLL_CTL_DEL, fd, nullptr);
      }
    }
  }
}

void bm_floor(benchmark::State& state) {
  const Fd listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  ::bind(listener.get(), reinterpret_cast<sockaddr*>(&address), sizeof address);
  ::listen(listener.get(), 128);
  ::getsockname(listener.get(), reinterpret_cast<sockaddr*>(&address), &length);
  std::atomic<bool> stopping = false;
  std::thread thread([&] { floor_loop(listener.get(), stopping); });
  measure(state, ntohs(address.sin_port), thread);
  stopping = true;
  thread.join();
}
BENCHMARK(bm_floor)->Arg(1)->Arg(32)->UseRealTime();

void bm_http_server(benchmark::State& state) {
  HttpServer server({}, admitting([](const std::shared_ptr<HttpExchange>& exchange) {
                      exchange->respond({.status = 200, .headers = {{"Content-Type", "application/json"}}, .body = kAnswer});
                    }));
  const auto port = server.listen("127.0.0.1", 0);
  if (!port) return state.SkipWithError(port.error().message.c_str());
  std::thread thread([&] { server.run(); });
  measure(state, *port, thread);
  server.stop();
  thread.join();
}
BENCHMARK(bm_http_server)->Arg(1)->Arg(32)->UseRealTime();

// The same answer as a stream of one event: head, chunk and end leave in one send.
void bm_http_event(benchmark::State& state) {
  HttpServer server({}, admitting([](const std::shared_ptr<HttpExchange>& exchange) {
                      exchange->start_stream(200, {{"Content-Type", "text/event-stream"}});
                      exchange->write("data: " + kAnswer + "\n\n");
                      exchange->end();
                    }));
  const auto port = server.listen("127.0.0.1", 0);
  if (!port) return state.SkipWithError(port.error().message.c_str());
  std::thread thread([&] { server.run(); });
  measure(state, *port, thread);
  server.stop();
  thread.join();
}
BENCHMARK(bm_http_event)->Arg(1)->Arg(32)->UseRealTime();

}  // namespace
}  // namespace holdfast::net
