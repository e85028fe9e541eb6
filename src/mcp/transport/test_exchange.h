#pragma once

// HTTP without sockets, for tests and the fuzzer: one exchange that remembers what was answered, and ends the
// program when it is used against its contract (net/http/http_server.h).

#include "base/json/json.h"
#include "net/http/http_server.h"
#include "net/http/sse.h"

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace holdfast::mcp {

class FakeExchange final : public net::HttpExchange {
 public:
  explicit FakeExchange(net::HttpRequest request)
      : request_(std::move(request)), parser_([this](net::SseEvent event) { events.push_back(std::move(event)); }) {}

  net::HttpRequest& request() override { return request_; }
  void admit(std::function<void()> then) override { then(); }
  Result<std::uint32_t> peer_user() const override { return fail(ErrorKind::not_found, "there is no socket"); }
  void respond(net::HttpResponse answer) override {
    require(!streaming && !done, "answered twice");
    response = std::move(answer);
    finish();
  }
  void start_stream(int status, net::HttpHeaders headers) override {
    require(!streaming && !done, "answered twice");
    response.status = status;
    response.headers = std::move(headers);
    streaming = true;
  }
  void write(std::string bytes) override {
    require(streaming && !done, "written to a stream that is not open");
    parser_.feed(bytes);
  }
  void end() override {
    require(streaming && !done, "ended a stream that is not open");
    finish();
  }
  void on_gone(std::function<void()> callback) override {
    if (!done) gone_callback_ = std::move(callback);
  }
  bool gone() const override { return gone_; }

  void leave() {
    gone_ = true;
    if (gone_callback_) std::exchange(gone_callback_, nullptr)();
  }

  Json body() const { return parse_json(response.body).value_or(nullptr); }
  // Events with data, as messages.
  std::vector<Json> messages() const {
    std::vector<Json> out;
    for (const net::SseEvent& event : events)
      if (!event.data.empty()) out.push_back(parse_json(event.data).value());
    return out;
  }

  net::HttpResponse response;
  std::vector<net::SseEvent> events;
  bool streaming = false, done = false;

 private:
  static void require(bool holds, const char* otherwise) {
    if (holds) return;
    std::fprintf(stderr, "an HTTP exchange was %s\n", otherwise);
    std::abort();
  }
  void finish() {
    done = true;
    gone_callback_ = nullptr;
  }

  net::HttpRequest request_;
  net::SseParser parser_;
  std::function<void()> gone_callback_;
  bool gone_ = false;
};

}  // namespace holdfast::mcp
