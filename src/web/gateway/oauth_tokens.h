#pragma once

// Answers "whose access token is this?" on the I/O thread, without waiting for the issuer: the counterpart of TokenGate for
// tokens that an authorization server has signed.
//
// What can be said without a key is said first (check_claims), so that a token of another issuer or for another server costs
// nothing. Signatures are checked on the pool. The issuer's keys are fetched there too, by one job at a time: when none are
// known, when they are old, and when a token names a key that is not among them, but then not more often than kRefetchForUnknown,
// because anybody can make up names. What was found valid is believed for kBelieved, or until it expires.
//
// I/O thread only; callbacks run there. The executor and the pool outlive it, and the pool is closed before it is destroyed.

#include "base/crypto/jwt_key.h"
#include "base/identity.h"
#include "base/json/json.h"
#include "base/run/clock.h"
#include "base/run/executor.h"
#include "base/run/pool.h"
#include "base/run/recent.h"
#include "web/gateway/oauth_resource.h"

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::web {

// An access token of an authorization server: a JSON Web Token in its compact form (RFC 7519, RFC 9068), taken apart and judged.
//
// Everything in a token is a stranger's word until its signature has been checked, and the header never decides how: it names a
// key of the issuer's (IssuerKeys), and the key's own algorithm counts. Claims are judged as well before as after that;
// nothing is done with them until both have held. Values, no I/O.
inline constexpr std::size_t kMaxJwtBytes = 16 * 1024;  // the largest with many groups come near 8 KiB
inline constexpr Millis kJwtLeeway = 60 * 1000;         // clocks of two machines

struct AccessJwt {
  std::string key_id;     // kid; may be empty
  std::string algorithm;  // alg, as claimed
  JsonObject claims;
  std::string signed_bytes, signature;
};

// Whether it has the form of one: static tokens never do.
bool looks_like_jwt(std::string_view text);

// Errors: unauthorised (not a JWT, not an access token by its typ, an algorithm that is not taken here, critical extensions).
Result<AccessJwt> read_jwt(std::string_view text);

struct JwtRules {
  std::string issuer, audience;
  std::string scope_prefix, team_claim;
};
// iss, aud, exp, nbf, sub. Errors: unauthorised, saying which.
Result<void> check_claims(const AccessJwt& token, const JwtRules& rules, Millis now);
Millis expiry_of(const AccessJwt& token);  // of one whose claims hold

// Whose it is: "issuer|subject", or the team that the team's claim names. Scopes that are not ours are passed over.
// Errors: unauthorised (the claim names no team).
Result<Identity> identity_of(const AccessJwt& token, const JwtRules& rules);

// The keys that an authorization server signs with (RFC 7517), as it publishes them.
//
// Fetched from the address of the settings, or from the one that the issuer's own metadata names; the metadata must name the very
// issuer that was asked for. Documents are bounded, redirects are not followed, and nothing but https is spoken to another
// machine.
inline constexpr std::size_t kMaxIssuerKeys = 100;  // an issuer has two or three; each is tried with a token without kid

class IssuerKeys {
 public:
  IssuerKeys() = default;
  // Keys of kinds that are not taken here are passed over. Errors: corrupt (not a key set).
  static Result<IssuerKeys> read(const Json& document);

  // The key of this name for this algorithm; without a name the only one for it. nullptr: there is none.
  const VerifyingKey* find(std::string_view key_id, std::string_view algorithm) const;
  std::size_t count() const { return keys_.size(); }

 private:
  struct Named {
    std::string id;
    VerifyingKey key;
  };
  std::vector<Named> keys_;
};

// Blocks; called by one thread at a time.
using KeyFetch = std::function<Result<IssuerKeys>()>;
// Errors of what it returns: unavailable, timeout, too_large, corrupt, refused.
KeyFetch fetch_keys_of(OauthSettings settings);

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
