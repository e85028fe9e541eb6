#pragma once

// One request and its answer, as the handler sees it; the bytes are the connection's business.
//
// The handler shares it; the connection only watches it. An exchange that everybody has let go of
// without an answer is answered with 500, and a stream that was let go of is cut off: a client never
// waits for somebody who has forgotten it. The last owner may let go on any thread.

#include "net/http/http_server.h"

#include <chrono>
#include <functional>
#include <memory>

namespace holdfast::net {

class HttpConnection;

class LiveExchange final : public HttpExchange {
 public:
  LiveExchange(std::shared_ptr<HttpConnection> connection, HttpRequest request);
  ~LiveExchange() override;

  HttpRequest& request() override { return request_; }
  void admit(std::function<void()> then) override;
  Result<std::uint32_t> peer_user() const override;
  void respond(HttpResponse response) override;
  void start_stream(int status, HttpHeaders headers) override;
  void write(std::string bytes) override;
  void end() override;
  void on_gone(std::function<void()> callback) override;
  bool gone() const override;

  // The connection's side: the client has left. Returns the callback, to be run outside of any call
  // of the handler's.
  std::function<void()> leave();
  // The whole request is here.
  void take_body(std::string body);
  std::chrono::steady_clock::time_point began() const { return began_; }

 private:
  enum class State { waiting, streaming, done, gone };

  std::weak_ptr<HttpConnection> connection_;
  HttpRequest request_;
  std::function<void()> on_gone_;
  State state_ = State::waiting;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

}  // namespace holdfast::net
