#pragma once

// The subscription of a modern client: one subscriptions/listen that stays open, so that lists that change are
// noticed before their time. (Legacy servers tell without being asked.) Executor thread only.

#include "mcp/client_calls.h"
#include "mcp/lifeline.h"

namespace holdfast::mcp {

class ClientListening {
 public:
  ClientListening(Executor& executor, ClientLink& link, ClientCalls& calls) : executor_(executor), link_(link), calls_(calls) {}
  ~ClientListening() { executor_.cancel(timer_); }

  // A connection is there: subscribes to what the server can tell.
  void begin();
  void end();

 private:
  void listen();

  Executor& executor_;
  ClientLink& link_;
  ClientCalls& calls_;
  Client::Ticket ticket_ = 0;
  TimerId timer_ = 0;
  std::chrono::milliseconds delay_{0};
  Lifeline alive_;
};

}  // namespace holdfast::mcp
