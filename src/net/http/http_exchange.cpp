#include "net/http/http_exchange.h"

#include "net/http/http_connection.h"

#include <utility>

namespace holdfast::net {

LiveExchange::LiveExchange(std::shared_ptr<HttpConnection> connection, HttpRequest request)
    : connection_(std::move(connection)), request_(std::move(request)) {}

LiveExchange::~LiveExchange() {
  if (state_ != State::waiting && state_ != State::streaming) return;
  if (auto connection = connection_.lock()) HttpConnection::abandon(std::move(connection));
}

void LiveExchange::admit(std::function<void()> then) {
  if (state_ != State::waiting) return;
  if (const auto connection = connection_.lock()) connection->admit(std::move(then));
}

Result<std::uint32_t> LiveExchange::peer_user() const {
  const auto connection = connection_.lock();
  if (!connection) return fail(ErrorKind::not_found, "the client has gone");
  return connection->peer_user();
}

void LiveExchange::take_body(std::string body) {
  request_.body = std::move(body);
  began_ = std::chrono::steady_clock::now();
}

void LiveExchange::respond(HttpResponse response) {
  if (state_ != State::waiting) return;
  state_ = State::done;
  on_gone_ = nullptr;
  if (const auto connection = connection_.lock()) connection->respond(response);
}

void LiveExchange::start_stream(int status, HttpHeaders headers) {
  if (state_ != State::waiting) return;
  state_ = State::streaming;
  if (const auto connection = connection_.lock()) connection->start_stream(status, headers);
}

void LiveExchange::write(std::string bytes) {
  if (state_ != State::streaming || bytes.empty()) return;
  if (const auto connection = connection_.lock()) connection->write(bytes);
}

void LiveExchange::end() {
  if (state_ != State::streaming) return;
  state_ = State::done;
  on_gone_ = nullptr;
  if (const auto connection = connection_.lock()) connection->end_stream();
}

void LiveExchange::on_gone(std::function<void()> callback) {
  if (gone()) {
    callback();
  } else if (state_ != State::done) {
    on_gone_ = std::move(callback);
  }
}

bool LiveExchange::gone() const {
  return state_ == State::gone || (state_ != State::done && connection_.expired());
}

std::function<void()> LiveExchange::leave() {
  if (state_ != State::waiting && state_ != State::streaming) return nullptr;
  state_ = State::gone;
  return std::exchange(on_gone_, nullptr);
}

}  // namespace holdfast::net
