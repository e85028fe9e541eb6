#include "net/http/http_server.h"

#include "base/text/text.h"
#include "net/http/http_connections.h"
#include "net/http/http_listener.h"
#include "net/run/event_loop.h"

#include <utility>

namespace holdfast::net {

const std::string* HttpRequest::header(std::string_view name) const {
  for (const auto& [key, value] : headers)
    if (equal_ignoring_ascii_case(key, name)) return &value;
  return nullptr;
}

struct HttpServer::Impl {
  Impl(const HttpLimits& limits, Handler handler) : connections(loop, limits, std::move(handler)) {
    connections.on_empty([this] { loop.stop(); });
  }
  // What still holds an exchange after us must find its client gone.
  ~Impl() { connections.close_all(); }

  EventLoop loop;
  HttpConnections connections;
  std::vector<std::unique_ptr<HttpListener>> listeners;
  std::function<void()> on_drain;
};

HttpServer::HttpServer(HttpLimits limits, Handler handler) : impl_(std::make_unique<Impl>(limits, std::move(handler))) {}

HttpServer::~HttpServer() = default;

Result<std::uint16_t> HttpServer::listen(const std::string& host, std::uint16_t port) {
  HF_CHECK(impl_->loop.usable());
  HF_TRY(BoundSockets bound, bind_and_listen(host, port));
  for (Fd& socket : bound.sockets) {
    auto listener = std::make_unique<HttpListener>(
        impl_->loop, std::move(socket),
        [impl = impl_.get()](Fd client, std::string peer) { impl->connections.add(std::move(client), std::move(peer)); });
    HF_CHECK(listener->start());
    impl_->listeners.push_back(std::move(listener));
  }
  return bound.port;
}

void HttpServer::run() {
  impl_->loop.run();
}

void HttpServer::drain(std::chrono::milliseconds deadline) {
  impl_->loop.post([impl = impl_.get(), deadline] {
    for (const auto& listener : impl->listeners) listener->accept_rest();
    impl->listeners.clear();
    if (impl->on_drain) std::exchange(impl->on_drain, nullptr)();
    impl->loop.after(deadline, [impl] {
      impl->connections.close_all();
      impl->loop.stop();
    });
    impl->connections.drain();
  });
}

void HttpServer::on_drain(std::function<void()> callback) {
  impl_->on_drain = std::move(callback);
}

void HttpServer::on_answer(Observer observer) {
  impl_->connections.observer = std::move(observer);
}

void HttpServer::turn_clients_away() {
  impl_->connections.turning_away = true;
}

void HttpServer::stop() {
  impl_->loop.post([impl = impl_.get()] {
    impl->listeners.clear();
    impl->connections.close_all();
    impl->loop.stop();
  });
}

Executor& HttpServer::executor() {
  return impl_->loop;
}

HttpServer::Counts HttpServer::counts() const {
  return impl_->connections.counts();
}

}  // namespace holdfast::net
