#include "net/http/http_server.h"

#include "base/files/fd.h"
#include "base/run/log.h"
#include "base/text/text.h"
#include "net/http/http_connections.h"
#include "net/run/event_loop.h"

#include <fmt/format.h>

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <cerrno>

namespace holdfast::net {
namespace {

// A listening socket. Loop thread only (or before the loop runs).
//
// When the process is out of descriptors, accept() fails while the client stays in the queue and the
// socket stays readable; the listener then looks away for a moment instead of spinning.
class HttpListener final : public EventLoop::Watcher {
 public:
  using OnAccept = std::function<void(Fd socket, std::string peer)>;

  HttpListener(EventLoop& loop, Fd socket, OnAccept on_accept);
  ~HttpListener();

  Result<void> start();
  void on_ready(std::uint32_t events) override;
  // Before it is closed: clients whose connection the kernel has made already would otherwise be reset.
  void accept_rest();

 private:
  bool accept_some();  // false: nobody waits any more
  void look_away(int error_number);

  EventLoop& loop_;
  Fd socket_;
  OnAccept on_accept_;
  TimerId pause_ = 0;    // 0: accepting
  bool warned_ = false;  // once until a client gets in again
};

struct BoundSockets {
  std::vector<Fd> sockets;  // listening already
  std::uint16_t port = 0;   // the same for all
};

constexpr int kBacklog = 1024;                       // clients that may wait while we are busy; the kernel cuts at somaxconn
constexpr int kAcceptsAtOnce = 64;                   // then the connections we have get their turn
constexpr std::chrono::milliseconds kLookAway{100};  // out of descriptors: some client will close meanwhile

std::string text_of(const sockaddr_storage& address) {
  char host[INET6_ADDRSTRLEN] = "";
  if (address.ss_family == AF_INET6) {
    const auto& v6 = reinterpret_cast<const sockaddr_in6&>(address);
    ::inet_ntop(AF_INET6, &v6.sin6_addr, host, sizeof host);
    return fmt::format("[{}]:{}", host, ntohs(v6.sin6_port));
  }
  const auto& v4 = reinterpret_cast<const sockaddr_in&>(address);
  ::inet_ntop(AF_INET, &v4.sin_addr, host, sizeof host);
  return fmt::format("{}:{}", host, ntohs(v4.sin_port));
}

std::uint16_t port_of(const sockaddr_storage& address) {
  return ntohs(address.ss_family == AF_INET6 ? reinterpret_cast<const sockaddr_in6&>(address).sin6_port
                                             : reinterpret_cast<const sockaddr_in&>(address).sin_port);
}

Error bind_error(const std::string& host, std::uint16_t port, int error_number) {
  const std::string where = fmt::format("{}:{}", host, port);
  switch (error_number) {
    case EADDRINUSE:
      return make_error(ErrorKind::conflict, where + ": the port is in use", "choose another port, or port 0 for any free one");
    case EACCES:
    case EPERM:
      return make_error(ErrorKind::refused, where + ": not allowed to listen there", "ports below 1024 need privileges");
    case EADDRNOTAVAIL:
      return make_error(ErrorKind::invalid, where + ": this machine has no such address");
    default:
      return system_error(where, error_number);
  }
}

HttpListener::HttpListener(EventLoop& loop, Fd socket, OnAccept on_accept)
    : loop_(loop), socket_(std::move(socket)), on_accept_(std::move(on_accept)) {}

HttpListener::~HttpListener() {
  if (pause_ != 0) loop_.cancel(pause_);
  loop_.unwatch(socket_.get(), this);
}

Result<void> HttpListener::start() {
  return loop_.watch(socket_.get(), EPOLLIN, this);
}

void HttpListener::on_ready(std::uint32_t) {
  accept_some();
}

void HttpListener::accept_rest() {
  for (int rounds = 0; rounds < kBacklog / kAcceptsAtOnce && pause_ == 0; ++rounds)
    if (!accept_some()) return;
}

bool HttpListener::accept_some() {
  for (int accepted = 0; accepted < kAcceptsAtOnce; ++accepted) {
    sockaddr_storage address{};
    socklen_t length = sizeof address;
    Fd client(::accept4(socket_.get(), reinterpret_cast<sockaddr*>(&address), &length, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!client) {
      switch (errno) {
        case EMFILE:
        case ENFILE:
        case ENOBUFS:
        case ENOMEM:
          look_away(errno);
          return false;
        case EINTR:
        case ECONNABORTED:
          continue;  // this client has left; the next may not have
        default:
          return false;  // EAGAIN, and what the network did to one client (accept(2))
      }
    }
    warned_ = false;
    const int on = 1;
    ::setsockopt(client.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    on_accept_(std::move(client), text_of(address));
  }
  return true;
}

void HttpListener::look_away(int error_number) {
  if (!std::exchange(warned_, true))
    log(LogLevel::warn, "net", system_error("accepting connections is suspended", error_number).message);
  loop_.change(socket_.get(), 0, this);
  pause_ = loop_.after(kLookAway, [this] {
    pause_ = 0;
    loop_.change(socket_.get(), EPOLLIN, this);
  });
}

// Every address the host stands for ("localhost" has two). Errors: conflict (port in use), refused,
// invalid (no such host), io.
Result<BoundSockets> bind_and_listen(const std::string& host, std::uint16_t port) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  if (const int code = ::getaddrinfo(host.c_str(), "0", &hints, &found); code != 0)
    return fail(ErrorKind::invalid, fmt::format("{}: {}", host, ::gai_strerror(code)));
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owned(found, ::freeaddrinfo);

  BoundSockets bound;
  bound.port = port;
  Error last_error = make_error(ErrorKind::invalid, host + ": no address");
  for (const addrinfo* entry = found; entry != nullptr; entry = entry->ai_next) {
    sockaddr_storage address{};
    std::copy_n(reinterpret_cast<const char*>(entry->ai_addr), entry->ai_addrlen, reinterpret_cast<char*>(&address));
    if (entry->ai_family == AF_INET6) reinterpret_cast<sockaddr_in6&>(address).sin6_port = htons(bound.port);
    if (entry->ai_family == AF_INET) reinterpret_cast<sockaddr_in&>(address).sin_port = htons(bound.port);

    Fd socket(::socket(entry->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    const int on = 1;
    if (socket) ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    // Two addresses of one host must not take the port from each other; "::" alone serves both families.
    if (socket && entry->ai_family == AF_INET6 && found->ai_next != nullptr)
      ::setsockopt(socket.get(), IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on);
    socklen_t length = sizeof address;
    if (!socket || ::bind(socket.get(), reinterpret_cast<sockaddr*>(&address), entry->ai_addrlen) != 0 ||
        ::listen(socket.get(), kBacklog) != 0 ||
        ::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&address), &length) != 0) {
      last_error = bind_error(host, bound.port, errno);
      // A family the machine does not have is no reason to fail; a port somebody else has is one.
      if (last_error.kind == ErrorKind::conflict || last_error.kind == ErrorKind::refused) return fail(std::move(last_error));
      continue;
    }
    bound.port = port_of(address);
    bound.sockets.push_back(std::move(socket));
  }
  if (bound.sockets.empty()) return fail(std::move(last_error));
  return bound;
}

}  // namespace

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
