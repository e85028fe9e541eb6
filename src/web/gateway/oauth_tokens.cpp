#include "web/gateway/oauth_tokens.h"

#include "base/crypto/hash.h"
#include "base/run/log.h"

#include <utility>

namespace holdfast::web {

namespace {

std::unexpected<Error> unknown_key() {
  return fail(ErrorKind::unauthorised, "this token is not valid: it is signed by a key that the issuer does not publish");
}

}  // namespace

JwtRules OauthTokens::rules() const {
  const OauthSettings& settings = resource_.settings();
  return {settings.issuer, resource_.audience(), settings.scope_prefix, settings.team_claim};
}

void OauthTokens::admit(const std::string& text, Admitted admitted) {
  std::string digest = to_hex(sha256(text));
  if (const auto known = known_.find(digest))
    if (known->until > Time::now() && known->expires > clock_.now()) return admitted(known->identity);
  auto token = read_jwt(text);
  if (!token) return admitted(fail(std::move(token).error()));
  if (auto holds = check_claims(*token, rules(), clock_.now()); !holds) return admitted(fail(std::move(holds).error()));
  judge({std::make_shared<AccessJwt>(*std::move(token)), std::move(digest), std::move(admitted)}, false);
}

void OauthTokens::judge(Waiting waiting, bool after_fetch) {
  const auto now = Time::now();
  if (has_keys_ && now - fetched_at_ < kKeysUsable) {
    const VerifyingKey* key = keys_.find(waiting.token->key_id, waiting.token->algorithm);
    if (key && now - fetched_at_ >= kKeysFresh && !fetching_) fetch();
    if (key) return check_signature(std::move(waiting), *key);
    if (after_fetch || (!fetching_ && now - tried_at_ < kRefetchForUnknown)) return waiting.admitted(unknown_key());
  } else if (after_fetch || (has_tried_ && !fetching_ && now - tried_at_ < kRefetchForUnknown)) {
    return waiting.admitted(fail(ErrorKind::unavailable, "the keys of the issuer could not be had", "try again in a moment"));
  }
  if (waiting_.size() >= kMaxWaiting)
    return waiting.admitted(fail(ErrorKind::unavailable, "too many wait for the keys of the issuer", "try again in a moment"));
  waiting_.push_back(std::move(waiting));
  if (!fetching_) fetch();
}

void OauthTokens::check_signature(Waiting waiting, VerifyingKey key) {
  pool_.submit([this, waiting = std::move(waiting), key = std::move(key)]() mutable {
    const bool holds = key.has_signed(waiting.token->signed_bytes, waiting.token->signature);
    executor_.post([this, holds, waiting = std::move(waiting)] {
      if (!holds) return waiting.admitted(fail(ErrorKind::unauthorised, "this token is not valid: its signature is wrong"));
      auto identity = identity_of(*waiting.token, rules());
      if (identity) remember(waiting.digest, *identity, expiry_of(*waiting.token));
      waiting.admitted(std::move(identity));
    });
  });
}

void OauthTokens::remember(const std::string& digest, const Identity& identity, Millis expires) {
  known_.put(digest, Known{identity, Time::now() + kBelieved, expires});
}

void OauthTokens::fetch() {
  fetching_ = true;
  has_tried_ = true;
  tried_at_ = Time::now();
  pool_.submit([this] {
    auto keys = std::make_shared<Result<IssuerKeys>>(fetch_());
    executor_.post([this, keys] { fetched(std::move(*keys)); });
  });
}

void OauthTokens::fetched(Result<IssuerKeys> keys) {
  fetching_ = false;
  if (keys) {
    keys_ = *std::move(keys);
    has_keys_ = true;
    fetched_at_ = tried_at_;
  } else {
    log(LogLevel::warn, "web", "the issuer's keys could not be fetched: " + keys.error().message);
  }
  for (Waiting& each : std::exchange(waiting_, {})) judge(std::move(each), true);
}

}  // namespace holdfast::web
