#pragma once

// For tests: a web server on loopback that answers from a function and remembers what it was asked.

#include "net/http/test_http_client.h"

#include <functional>
#include <mutex>
#include <string>
#include <vector>

namespace holdfast::research {

class TestWebServer {
 public:
  using Answerer = std::function<net::HttpResponse(const net::HttpRequest&)>;

  explicit TestWebServer(Answerer answerer)
      : answerer_(std::move(answerer)), server_({}, [this](const auto& exchange) { answer(exchange); }) {}

  std::string url(std::string_view path = "", std::string_view host = "127.0.0.1") const {
    return "http://" + std::string(host) + ':' + std::to_string(server_.port) + std::string(path);
  }
  std::vector<net::HttpRequest> seen() {
    const std::lock_guard lock(mutex_);
    return seen_;
  }

  static net::HttpResponse json(std::string body, int status = 200) {
    return {status, {{"Content-Type", "application/json"}}, std::move(body)};
  }
  // An answer that never comes: status 0.
  static net::HttpResponse silence() { return {0, {}, {}}; }

 private:
  void answer(const std::shared_ptr<net::HttpExchange>& exchange) {
    net::HttpResponse response = answerer_(exchange->request());
    const std::lock_guard lock(mutex_);
    seen_.push_back(exchange->request());
    if (response.status == 0)
      silent_.push_back(exchange);
    else
      exchange->respond(std::move(response));
  }

  Answerer answerer_;
  std::mutex mutex_;
  std::vector<net::HttpRequest> seen_;                      // guarded by mutex_
  std::vector<std::shared_ptr<net::HttpExchange>> silent_;  // guarded by mutex_
  net::ServerOnThread server_;
};

}  // namespace holdfast::research
