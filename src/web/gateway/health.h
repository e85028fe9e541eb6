#pragma once

// Whether this server should be sent requests: what /healthz answers. I/O thread only.
//
// The store is asked with the first question in a second, on the pool, and the others get the same answer: however often a
// balancer asks, it costs a small read a second. A store that does not answer in kPatience is taken for unreachable; a server
// that is about to stop says so before anything is refused.

#include "base/run/executor.h"
#include "base/run/pool.h"
#include "net/http/http_server.h"
#include "session/store.h"

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::web {

class Health {
 public:
  static constexpr std::chrono::milliseconds kFresh{1000};     // how long an answer of the store is believed
  static constexpr std::chrono::milliseconds kPatience{2000};  // balancers wait for about as long

  struct Answer {
    bool ready = true;
    std::string reason;  // when it is not
  };

  // The store, the executor and the pool outlive it; the pool is closed before it goes.
  Health(session::Store& store, Executor& executor, Pool& pool) : store_(store), executor_(executor), pool_(pool) {}

  void ask(std::function<void(const Answer&)> tell);
  // From now on: not ready.
  void leaving() { leaving_ = true; }

 private:
  void probe();
  void settle(Answer answer);

  session::Store& store_;
  Executor& executor_;
  Pool& pool_;
  bool leaving_ = false;
  bool probing_ = false;  // a question to the store is under way, however long ago it was put
  TimerId patience_ = 0;
  Answer last_;
  std::chrono::steady_clock::time_point asked_at_;  // 1970: never
  std::vector<std::function<void(const Answer&)>> waiting_;
};

// In the form that the request asks for.
net::HttpResponse health_response(const net::HttpRequest& request, const Health::Answer& health, std::string_view version);

}  // namespace holdfast::web
