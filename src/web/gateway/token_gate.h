#pragma once

// Answers "whose token is this?" on the I/O thread, without waiting for the store.
//
// The list of tokens is read on the pool and believed for kBelieved; so a request usually gets its answer at
// once, and a revoked token stops working within that time, in every process that shares the store. A token
// that is not in the list may have been made a moment ago: the list is then read again before it is refused.
//
// I/O thread only; callbacks run there. The executor and the pool outlive it, and the pool is closed before
// it is destroyed.

#include "base/run/executor.h"
#include "base/run/pool.h"
#include "web/gateway/access_tokens.h"

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace holdfast::web {

class TokenGate {
 public:
  static constexpr std::chrono::milliseconds kBelieved{2'000};
  // Guessing tokens must not become reading the store as often: who comes with an unknown one sooner has to wait.
  static constexpr std::chrono::milliseconds kRereadForUnknown{100};
  static constexpr std::size_t kMaxWaiting = 10'000;  // as many connections may wait; more are guesses

  TokenGate(session::Store& store, Executor& executor, Pool& pool, const Clock& clock)
      : tokens_(store), executor_(executor), pool_(pool), clock_(clock) {}
  ~TokenGate() { *alive_ = false; }

  // Whose it is; unauthorised for a token nobody has or that is over; other errors when the store could not be asked.
  using Admitted = std::function<void(Result<Identity>)>;
  void admit(std::string token, Admitted admitted);

 private:
  struct Waiting {
    std::string token;
    Admitted admitted;
  };
  void reread();
  Result<Identity> judge(const AccessToken& token) const;

  AccessTokens tokens_;
  Executor& executor_;
  Pool& pool_;
  const Clock& clock_;
  std::vector<AccessToken> known_;
  std::chrono::steady_clock::time_point read_at_{};
  bool read_once_ = false, reading_ = false, planned_ = false;
  std::vector<Waiting> waiting_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);  // for the timer of a planned look
};

}  // namespace holdfast::web
