#pragma once

// For tests: a blocking client that sends exactly the bytes it is told, and a server on its own
// thread to send them to. Failures show as empty answers, never as hangs: a read gives up after a
// time that no healthy run comes near.

#include "base/files/fd.h"
#include "net/http/http_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

namespace holdfast::net {

struct RawResponse {
  int status = 0;  // 0: the connection ended before a whole answer had come
  std::string head;
  std::string body;  // chunks joined

  bool has(std::string_view text) const { return head.find(text) != std::string::npos; }
};

class RawHttpClient {
 public:
  explicit RawHttpClient(std::uint16_t port, int receive_buffer = 0) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    if (receive_buffer != 0) ::setsockopt(socket_.get(), SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
    const timeval patience{.tv_sec = 30, .tv_usec = 0};
    ::setsockopt(socket_.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(socket_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) socket_.reset();
  }

  bool connected() const { return static_cast<bool>(socket_); }
  void close() { socket_.reset(); }
  void shut_sending() { ::shutdown(socket_.get(), SHUT_WR); }

  bool send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }

  void get(std::string_view path) { send("GET " + std::string(path) + " HTTP/1.1\r\nHost: test\r\n\r\n"); }
  void post(std::string_view path, std::string_view body, std::string_view extra_headers = {}) {
    send("POST " + std::string(path) + " HTTP/1.1\r\nHost: test\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" +
         std::string(extra_headers) + "\r\n" + std::string(body));
  }

  // Everything up to and with `mark`; empty when the connection ends before.
  std::string read_through(std::string_view mark) {
    std::size_t found;
    while ((found = received_.find(mark)) == std::string::npos)
      if (!receive()) return {};
    return take(found + mark.size());
  }

  std::string read_exactly(std::size_t count) {
    while (received_.size() < count)
      if (!receive()) return {};
    return take(count);
  }

  std::string read_to_end() {
    while (receive()) {
    }
    return std::exchange(received_, {});
  }

  // True when the server has closed (or reset) the connection and nothing is left to read.
  bool at_end() { return received_.empty() && !receive(); }

  RawResponse read_response(bool without_body = false) {
    RawResponse response;
    response.head = read_through("\r\n\r\n");
    if (response.head.size() < 12) return {};
    const int status = std::atoi(response.head.c_str() + 9);
    if (status == 100) return read_response(without_body);
    response.status = status;
    if (without_body || status == 204 || status == 304) return response;
    if (response.has("Transfer-Encoding: chunked")) {
      while (const auto chunk = read_chunk()) {
        if (chunk->empty()) return response;
        response.body += *chunk;
      }
      return {};
    }
    const std::size_t length = response.head.find("Content-Length: ");
    if (length == std::string::npos) {
      response.body = read_to_end();
    } else {
      const auto size = static_cast<std::size_t>(std::atoll(response.head.c_str() + length + 16));
      response.body = read_exactly(size);
      if (response.body.size() != size) return {};
    }
    return response;
  }

  // The next chunk's data, "" for the last one; nullopt when the stream was cut off.
  std::optional<std::string> read_chunk() {
    const std::string line = read_through("\r\n");
    std::size_t size = 0;
    const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), size, 16);
    if (line.empty() || error != std::errc()) return std::nullopt;
    std::string data = read_exactly(size + 2);
    if (data.size() != size + 2) return std::nullopt;
    data.resize(size);
    return data;
  }

 private:
  bool receive() {
    char buffer[16 * 1024];
    const ssize_t got = ::recv(socket_.get(), buffer, sizeof buffer, 0);
    if (got <= 0) return false;
    received_.append(buffer, static_cast<std::size_t>(got));
    return true;
  }

  std::string take(std::size_t count) {
    std::string taken = received_.substr(0, count);
    received_.erase(0, count);
    return taken;
  }

  Fd socket_;
  std::string received_;
};

// Called with whole requests, of whomever.
inline HttpServer::Handler admitting(HttpServer::Handler handler) {
  return [handler = std::move(handler)](const std::shared_ptr<HttpExchange>& exchange) {
    exchange->admit([&handler, exchange]() mutable { handler(std::move(exchange)); });
  };
}

class ServerOnThread {
 public:
  enum class Called { with_whole_requests, with_heads };
  ServerOnThread(const HttpLimits& limits, HttpServer::Handler handler, Called called = Called::with_whole_requests)
      : server(limits, called == Called::with_heads ? std::move(handler) : admitting(std::move(handler))) {
    const auto bound = server.listen("127.0.0.1", 0);
    port = bound ? *bound : 0;
    thread_ = std::thread([this] { server.run(); });
  }
  ~ServerOnThread() {
    server.stop();
    join();
  }
  void join() {
    if (thread_.joinable()) thread_.join();
  }

  // Runs the call on the server's thread and waits for its value.
  template <class Call>
  auto ask(Call call) {
    std::promise<decltype(call())> answer;
    auto future = answer.get_future();
    server.executor().post([&] { answer.set_value(call()); });
    return future.get();
  }
  // Connects and sends on the server's thread, so that the server finds the bytes as soon as it sees the connection: no time-out
  // can come between the two.
  std::unique_ptr<RawHttpClient> connect_sending(std::string_view bytes) {
    return ask([&] {
      auto client = std::make_unique<RawHttpClient>(port);
      client->send(bytes);
      return client;
    });
  }
  HttpServer::Counts counts() {
    return ask([this] { return server.counts(); });
  }

  HttpServer server;
  std::uint16_t port = 0;

 private:
  std::thread thread_;
};

}  // namespace holdfast::net
