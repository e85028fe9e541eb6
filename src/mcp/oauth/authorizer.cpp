#include "mcp/oauth/authorizer.h"

#include "base/run/log.h"
#include "mcp/oauth/token_endpoint.h"

#include <algorithm>
#include <utility>

namespace holdfast::mcp::oauth {

Authorizer::Authorizer(Executor& executor, Settings settings) : executor_(executor), settings_(std::move(settings)) {
  if (!settings_.store) settings_.store = std::make_shared<MemoryTokenStore>();
  if (!settings_.clock) settings_.clock = std::make_shared<SystemClock>();
  if (const auto url = parse_http_url(settings_.server_url); url && parse_peer_url(settings_.server_url, *url))
    origin_ = url->origin();
}

Authorizer::~Authorizer() {
  stop_.request_stop();
  pool_.close();
}

bool Authorizer::fresh() const {
  if (!session_ || !renewable_ || session_->token.refresh_token.empty()) return true;
  return !session_->token.expires_before(settings_.clock->now() + kRenewBefore);
}

void Authorizer::renew(Done done) {
  const bool busy = !waiting_.empty();
  waiting_.push_back(std::move(done));
  if (busy) return;
  run(Goal::renewal, [session = *session_](Flow& flow) { return flow.refresh(session); });
}

HttpAuthorizer::Turn Authorizer::sign(net::HttpCall& call) {
  const auto url = parse_http_url(call.url);
  if (!session_ || !url || url->origin() != origin_) return turn_;
  const Token& token = session_->token;
  call.headers.emplace_back("Authorization", (token.dpop ? "DPoP " : "Bearer ") + token.access_token);
  if (token.dpop) add_proof(call);
  return turn_;
}

void Authorizer::add_proof(net::HttpCall& call) {
  if (!dpop_key_) return;
  auto proof = make_proof(*dpop_key_, {call.method, call.url, session_->token.access_token, dpop_nonce_}, settings_.clock->now());
  if (!proof) return log(LogLevel::warn, "oauth", proof.error().message);
  call.headers.emplace_back("DPoP", *std::move(proof));
}

HttpAuthorizer::Done Authorizer::later(Done done) {
  return [this, done = std::move(done)](const Result<void>& result) {
    executor_.post(alive_.guard([done, result] { done(result); }));
  };
}

bool Authorizer::refused(Turn turn, const net::HttpAnswer& answer, Done done) {
  const std::optional<Challenge> challenge = oauth_challenge(answer.headers);
  const std::string error(challenge ? challenge->parameter("error").value_or("") : "");
  const bool too_weak = answer.status == 403 && error == "insufficient_scope";
  if (origin_.empty() || (answer.status != 401 && !too_weak)) return false;
  if (turn != turn_) {  // there is another one by now
    later(std::move(done))({});
    return true;
  }
  const std::string_view nonce = answer.header("dpop-nonce");
  if (error == "use_dpop_nonce" && !nonce.empty() && nonce != dpop_nonce_) {
    dpop_nonce_ = nonce;
    later(std::move(done))({});
    return true;
  }
  // Who has all that is asked for, and is refused, would be refused again.
  if (too_weak && session_ && session_->token.covers(challenge->scopes())) return false;
  if (pausing()) {
    later(std::move(done))(fail(*failure_));
    return true;
  }
  const bool busy = !waiting_.empty();
  waiting_.push_back(std::move(done));
  if (!busy) run(Goal::login, [need = Need{challenge, session_, too_weak}](Flow& flow) { return flow.obtain(need); });
  return true;
}

bool Authorizer::pausing() const {
  const Millis since = settings_.clock->now() - failed_at_;
  return failure_ && since >= 0 && since < pause_;
}

// RFC 9449 §8.2: with an answer that is no refusal, too. The old one would cost a refusal soon.
void Authorizer::heard(const net::HttpAnswer& answer) {
  if (!dpop_key_ || answer.status < 200 || answer.status > 299) return;
  if (const std::string_view nonce = answer.header("dpop-nonce"); !nonce.empty()) dpop_nonce_ = nonce;
}

void Authorizer::run(Goal goal, Work work) {
  // Guarded by hand: the task must know the executor even when we are gone by the time it ends.
  auto deliver = std::make_shared<std::move_only_function<void(Result<Session>)>>(
      alive_.guard([this, goal](Result<Session> session) { take(goal, std::move(session)); }));
  pool_.submit([this, work = std::move(work), deliver] {
    auto session = [&]() -> Result<Session> {
      HF_TRY(const auto client, net::HttpClient::make());
      Flow flow(settings_, *client, stop_.get_token());
      return work(flow);
    }();
    executor_.post([deliver, session = std::move(session)]() mutable { (*deliver)(std::move(session)); });
  });
}

void Authorizer::take(Goal goal, Result<Session> session) {
  renewable_ = session.has_value();
  if (session) {
    failure_.reset();
    pause_ = 0;
    session_ = *std::move(session);
    ++turn_;
    dpop_key_.reset();
    if (session_->token.dpop) {
      if (auto key = SigningKey::from_pem(session_->token.dpop_key)) dpop_key_ = *std::move(key);
    }
  }
  if (!session && goal == Goal::login) {
    failure_ = session.error();
    failed_at_ = settings_.clock->now();
    pause_ = std::clamp(pause_ * 2, kFirstPause, kLongestPause);
  }
  const Result<void> result = session ? Result<void>() : Result<void>(fail(session.error()));
  for (Done& done : std::exchange(waiting_, {})) done(result);
}

}  // namespace holdfast::mcp::oauth
