#pragma once

// OAuth for an HTTP transport: holds the token of one server, renews it before it ends, and gets another one when it is refused.
//
//   auto authorizer = std::make_shared<oauth::Authorizer>(loop, std::move(settings));
//   http_transport_maker(loop, {url, {}, true, authorizer});
//
// Loop thread only; flows run on a thread of their own, one at a time, and everybody who needs one waits for the same. Must be
// destroyed on the loop's thread, or after the loop has ended; that stops a flow under way and waits for its thread.

#include "base/run/executor.h"
#include "base/run/lifeline.h"
#include "base/run/pool.h"
#include "mcp/oauth/flow.h"
#include "mcp/transport/transport_http_client.h"

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace holdfast::mcp::oauth {

// A login that failed is not tried again at once: a connection that comes back every second would ask the issuer, or a person,
// each time. Whoever needs one meanwhile gets the error of before. The pause doubles with each failure.
inline constexpr Millis kFirstPause = 5'000;
inline constexpr Millis kLongestPause = 60'000;

// Renewed so long before its end that no request is under way with a token that just ended.
inline constexpr Millis kRenewBefore = 30'000;

class Authorizer final : public HttpAuthorizer {
 public:
  Authorizer(Executor& executor, Settings settings);
  ~Authorizer() override;

  bool fresh() const override;
  void renew(Done done) override;
  Turn sign(net::HttpCall& call) override;
  bool refused(Turn turn, const net::HttpAnswer& answer, Done done) override;
  void heard(const net::HttpAnswer& answer) override;

 private:
  using Work = std::function<Result<Session>(Flow& flow)>;
  enum class Goal { renewal, login };
  void run(Goal goal, Work work);
  void take(Goal goal, Result<Session> session);
  bool pausing() const;
  void add_proof(net::HttpCall& call);
  Done later(Done done);

  Executor& executor_;
  Settings settings_;
  std::string origin_;  // empty: the URL is none, and nothing is signed
  std::optional<Session> session_;
  std::optional<SigningKey> dpop_key_;
  std::string dpop_nonce_;
  Turn turn_ = 0;
  bool renewable_ = true;         // false: the last renewal failed, and a login has to be next
  std::optional<Error> failure_;  // of the last login
  Millis failed_at_ = 0, pause_ = 0;
  std::vector<Done> waiting_;  // for the flow under way; empty: there is none
  std::stop_source stop_;
  Lifeline alive_;
  Pool pool_{1};
};

}  // namespace holdfast::mcp::oauth
