#include "web/gateway/health.h"

#include "base/json/json.h"

#include <utility>

namespace holdfast::web {

void Health::ask(std::function<void(const Answer&)> tell) {
  if (leaving_) return tell({false, "stopping"});
  const auto now = std::chrono::steady_clock::now();
  const bool known = asked_at_.time_since_epoch().count() != 0;
  // While an unanswered question is still under way the store is as far away as it was.
  if (known && waiting_.empty() && (now - asked_at_ < kFresh || probing_)) return tell(last_);
  waiting_.push_back(std::move(tell));
  if (waiting_.size() == 1) probe();
}

void Health::probe() {
  probing_ = true;
  patience_ = executor_.after(kPatience, [this] {
    patience_ = 0;
    settle({false, "the store does not answer"});
  });
  pool_.submit([this] {
    auto sequence = store_.last_sequence();
    Answer answer{sequence.has_value(), sequence ? std::string() : "the store cannot be reached: " + sequence.error().message};
    executor_.post([this, answer = std::move(answer)]() mutable {
      probing_ = false;
      settle(std::move(answer));
    });
  });
}

net::HttpResponse health_response(const net::HttpRequest& request, const Health::Answer& health, std::string_view version) {
  const int status = health.ready ? 200 : 503;
  const std::string* accept = request.header("Accept");
  if (accept && accept->contains("application/json")) {
    JsonObject body{{"status", health.ready ? "ok" : "unavailable"}, {"version", version}};
    if (!health.ready) body["reason"] = health.reason;
    return {status, {{"Content-Type", "application/json"}, {"Cache-Control", "no-store"}}, to_json(body)};
  }
  return {status,
          {{"Content-Type", "text/plain; charset=utf-8"}, {"Cache-Control", "no-store"}},
          health.ready ? "ok\n" : "unavailable: " + health.reason + "\n"};
}

void Health::settle(Answer answer) {
  if (patience_ != 0) executor_.cancel(std::exchange(patience_, 0));
  last_ = std::move(answer);
  asked_at_ = std::chrono::steady_clock::now();
  for (auto& tell : std::exchange(waiting_, {})) tell(last_);
}

}  // namespace holdfast::web
