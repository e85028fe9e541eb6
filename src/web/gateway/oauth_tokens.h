#pragma once

// Answers "whose access token is this?" on the I/O thread, without waiting for the issuer: the counterpart of TokenGate for
// tokens that an authorization server has signed.
//
// What can be said without a key is said first (access_jwt.h), so that a token of another issuer or for another server costs
// nothing. Signatures are checked on the pool. The issuer's keys are fetched there too, by one job at a time: when none are
// known, when they are old, and when a token names a key that is not among them, but then not more often than kRefetchForUnknown,
// because anybody can make up names. What was found valid is believed for kBelieved, or until it expires.
//
// I/O thread only; callbacks run there. The executor and the pool outlive it, and the pool is closed before it is destroyed.

#include "base/run/clock.h"
#include "base/run/executor.h"
#include "base/run/pool.h"
#include "base/run/recent.h"
#include "web/gateway/access_jwt.h"
#include "web/gateway/issuer_keys.h"

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace holdfast::web {

class OauthTokens {
 public:
  static constexpr std::chrono::seconds kRefetchForUnknown{10};
  static constexpr std::chrono::minutes kKeysFresh{10};   // then they are fetched anew beside the work
  static constexpr std::chrono::minutes kKeysUsable{60};  // and without success until then, none is believed any more
  static constexpr std::chrono::seconds kBelieved{60};    // a key that the issuer withdrew counts for no longer
  static constexpr std::size_t kMaxBelieved = 10'000;
  static constexpr std::size_t kMaxWaiting = 1'000;  // for keys; more are told to come again

  // The resource outlives this, and has its address before the first token.
  OauthTokens(const OauthResource& resource, KeyFetch fetch, Executor& executor, Pool& pool, const Clock& clock)
      : resource_(resource), fetch_(std::move(fetch)), executor_(executor), pool_(pool), clock_(clock) {}

  // Whose it is; unauthorised, saying why; unavailable when the issuer's keys could not be had.
  using Admitted = std::function<void(Result<Identity>)>;
  void admit(const std::string& text, Admitted admitted);

 private:
  using Time = std::chrono::steady_clock;
  struct Waiting {
    std::shared_ptr<AccessJwt> token;
    std::string digest;
    Admitted admitted;
  };
  struct Known {
    Identity identity;
    Time::time_point until;
    Millis expires;
  };

  JwtRules rules() const;
  void judge(Waiting waiting, bool after_fetch);
  void check_signature(Waiting waiting, VerifyingKey key);
  void remember(const std::string& digest, const Identity& identity, Millis expires);
  void fetch();
  void fetched(Result<IssuerKeys> keys);

  const OauthResource& resource_;
  KeyFetch fetch_;
  Executor& executor_;
  Pool& pool_;
  const Clock& clock_;
  IssuerKeys keys_;
  bool has_keys_ = false, has_tried_ = false, fetching_ = false;
  Time::time_point fetched_at_{}, tried_at_{};
  std::vector<Waiting> waiting_;
  Recent<std::string, Known> known_{kMaxBelieved};  // by the token's digest
};

}  // namespace holdfast::web
