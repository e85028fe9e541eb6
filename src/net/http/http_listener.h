#pragma once

// A listening socket. Loop thread only (or before the loop runs).
//
// When the process is out of descriptors, accept() fails while the client stays in the queue and the
// socket stays readable; the listener then looks away for a moment instead of spinning.

#include "base/files/fd.h"
#include "base/result.h"
#include "net/run/event_loop.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace holdfast::net {

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

// Every address the host stands for ("localhost" has two). Errors: conflict (port in use), refused,
// invalid (no such host), io.
Result<BoundSockets> bind_and_listen(const std::string& host, std::uint16_t port);

}  // namespace holdfast::net
