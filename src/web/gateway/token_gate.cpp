#include "web/gateway/token_gate.h"

#include <utility>

namespace holdfast::web {

namespace {

std::unexpected<Error> unknown() {
  return fail(ErrorKind::unauthorised, "this token is not valid");
}

}  // namespace

Result<Identity> TokenGate::judge(const operations::AccessToken& token) const {
  if (token.is_over(clock_.now())) return fail(operations::expired_token(*token.grant.expires_at));
  return token.grant.identity();
}

bool TokenGate::answers(const Waiting& asked) const {
  const operations::AccessToken* found = operations::find_token(known_, asked.token);
  if (found) asked.admitted(judge(*found));
  return found != nullptr;
}

void TokenGate::admit(std::string token, Admitted admitted) {
  Waiting asked{std::move(token), std::move(admitted)};
  const auto age = std::chrono::steady_clock::now() - read_at_;
  if (age < kBelieved && answers(asked)) {
    if (age >= kFresh) plan();
    return;
  }
  if (waiting_.size() + asking_.size() >= kMaxWaiting)
    return asked.admitted(fail(ErrorKind::unavailable, "too many ask with tokens that are not known", "try again in a moment"));
  waiting_.push_back(std::move(asked));
  plan();
}

void TokenGate::plan() {
  if (reading_ || planned_) return;
  const auto since = std::chrono::steady_clock::now() - tried_at_;
  if (since >= kBetweenReads) return reread();
  planned_ = true;
  executor_.after(std::chrono::ceil<std::chrono::milliseconds>(kBetweenReads - since), [this, alive = alive_] {
    if (!*alive) return;
    planned_ = false;
    reread();
  });
}

void TokenGate::reread() {
  reading_ = true;
  asking_ = std::exchange(waiting_, {});
  // What is revoked while the list is being read must not be believed for longer than the rest.
  tried_at_ = std::chrono::steady_clock::now();
  pool_.submit([this, began = tried_at_] {
    auto listed = std::make_shared<Result<Tokens>>(tokens_.list());
    executor_.post([this, began, listed] { has_read(began, *std::move(listed)); });
  });
}

void TokenGate::has_read(std::chrono::steady_clock::time_point began, Result<Tokens> listed) {
  reading_ = false;
  if (listed) {
    known_ = *std::move(listed);
    read_at_ = began;
  }
  for (const Waiting& each : std::exchange(asking_, {})) {
    if (!listed)
      each.admitted(fail(listed.error()));
    else if (!answers(each))
      each.admitted(unknown());
  }
  // Who came while the list was being read is in it, or waits for the next one.
  for (Waiting& each : std::exchange(waiting_, {}))
    if (!listed || !answers(each)) waiting_.push_back(std::move(each));
  if (!waiting_.empty()) plan();
}

}  // namespace holdfast::web
