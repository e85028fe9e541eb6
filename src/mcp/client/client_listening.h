#pragma once

// What the server is asked to tell us: that its lists changed, and that resources did which somebody watches. Said again
// on every connection. In the modern era that is one subscriptions/listen that stays open; a legacy server tells of its
// lists without being asked, and of each resource after resources/subscribe. Executor thread only.

#include "base/run/lifeline.h"
#include "mcp/client/client_calls.h"

#include <set>
#include <string>

namespace holdfast::mcp {

class ClientListening {
 public:
  // lists: whether changes of lists are wanted.
  ClientListening(bool lists, Executor& executor, ClientLink& link, ClientCalls& calls)
      : lists_(lists), executor_(executor), link_(link), calls_(calls) {}
  ~ClientListening() { executor_.cancel(timer_); }

  void begin();  // a connection is there
  void end();

  void watch(const std::string& uri);
  void unwatch(const std::string& uri);

 private:
  void listen_soon();
  void listen();
  JsonObject filter() const;
  void tell_legacy(const char* method, const std::string& uri);

  const bool lists_;
  Executor& executor_;
  ClientLink& link_;
  ClientCalls& calls_;
  std::set<std::string> watched_;
  Client::Ticket ticket_ = 0;
  TimerId timer_ = 0;
  std::chrono::milliseconds delay_{0};
  Lifeline alive_;
};

}  // namespace holdfast::mcp
