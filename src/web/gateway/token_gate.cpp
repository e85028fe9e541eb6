#include "web/gateway/token_gate.h"

#include <utility>

namespace holdfast::web {

namespace {

std::unexpected<Error> unknown() {
  return fail(ErrorKind::unauthorised, "this token is not valid");
}

}  // namespace

Result<Identity> TokenGate::judge(const AccessToken& token) const {
  if (token.is_over(clock_.now())) return fail(expired_token(*token.grant.expires_at));
  return token.grant.identity();
}

void TokenGate::admit(std::string token, Admitted admitted) {
  const auto age = std::chrono::steady_clock::now() - read_at_;
  if (read_once_ && !reading_ && age < kBelieved)
    if (const AccessToken* found = find_token(known_, token)) return admitted(judge(*found));
  if (waiting_.size() >= kMaxWaiting)
    return admitted(fail(ErrorKind::unavailable, "too many ask with tokens that are not known", "try again in a moment"));
  waiting_.push_back({std::move(token), std::move(admitted)});
  if (reading_ || planned_) return;
  if (!read_once_ || age >= kRereadForUnknown) return reread();
  planned_ = true;
  executor_.after(std::chrono::ceil<std::chrono::milliseconds>(kRereadForUnknown - age), [this, alive = alive_] {
    if (!*alive) return;
    planned_ = false;
    if (!reading_) reread();
  });
}

void TokenGate::reread() {
  reading_ = true;
  // What is revoked while the list is being read must not be believed for longer than the rest.
  const auto began = std::chrono::steady_clock::now();
  pool_.submit([this, began] {
    auto listed = std::make_shared<Result<std::vector<AccessToken>>>(tokens_.list());
    executor_.post([this, began, listed] {
      reading_ = false;
      if (*listed) {
        known_ = std::move(**listed);
        read_at_ = began;
        read_once_ = true;
      }
      for (Waiting& each : std::exchange(waiting_, {})) {
        if (!*listed) {
          each.admitted(fail(listed->error()));
          continue;
        }
        const AccessToken* found = find_token(known_, each.token);
        if (found)
          each.admitted(judge(*found));
        else
          each.admitted(unknown());
      }
    });
  });
}

}  // namespace holdfast::web
