#pragma once

// Answers "whose token is this?" on the I/O thread, without waiting for the store.
//
// The list of tokens is read on the pool and believed for kBelieved; so a revoked token stops working within that time, in every
// process that shares the store. A token in the list is answered at once, whatever is being read meanwhile; while somebody comes
// with one, the list is read again before it is too old. Only the first one after a silence waits for a read.
//
// A token that is not in the list may have been made a moment ago: it waits for a read that begins after it came. One read runs
// at a time, and kBetweenReads lies between two of them, so who guesses tokens waits, and nobody else does.
//
// I/O thread only; callbacks run there. The executor and the pool outlive it, and the pool is closed before
// it is destroyed.

#include "base/run/executor.h"
#include "base/run/pool.h"
#include "operations/store/access_tokens.h"

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace holdfast::web {

class TokenGate {
 public:
  static constexpr std::chrono::milliseconds kBelieved{2'000};
  static constexpr std::chrono::milliseconds kFresh{1'000};  // a list that is older is read again beside the calls
  // Guessing tokens must not become reading the store as often.
  static constexpr std::chrono::milliseconds kBetweenReads{100};
  static constexpr std::size_t kMaxWaiting = 1'000;  // as many strangers there are at most (net/http/http_server.h); each is
                                                     // compared with all tokens, on the I/O thread

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
  using Tokens = std::vector<operations::AccessToken>;
  // Begins a read, now or when it may; nothing when one is under way, whose end looks at who has come meanwhile.
  void plan();
  void reread();
  void has_read(std::chrono::steady_clock::time_point began, Result<Tokens> listed);
  Result<Identity> judge(const operations::AccessToken& token) const;
  // Answers when the token is in the list.
  bool answers(const Waiting& asked) const;

  operations::AccessTokens tokens_;
  Executor& executor_;
  Pool& pool_;
  const Clock& clock_;
  Tokens known_;
  // When the read of what is known began, and the last one that was tried; the epoch: never.
  std::chrono::steady_clock::time_point read_at_{}, tried_at_{};
  bool reading_ = false, planned_ = false;
  std::vector<Waiting> waiting_;                                // for the next read
  std::vector<Waiting> asking_;                                 // for the one under way
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);  // for the timer of a planned look
};

}  // namespace holdfast::web
