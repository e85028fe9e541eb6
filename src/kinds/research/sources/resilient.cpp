#include "kinds/research/sources/resilient.h"

#include "base/crypto/hash.h"
#include "base/run/backoff.h"
#include "session/leases.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace holdfast::research {

namespace {

using std::chrono::milliseconds;

class ResilientProvider final : public SearchProvider {
 public:
  ResilientProvider(std::unique_ptr<RemoteSearch> remote, ServiceMemory memory, Pace pace)
      : remote_(std::move(remote)), memory_(std::move(memory)), pace_(std::move(pace)) {}

  std::string_view name() const override { return remote_->name(); }

  Result<std::vector<Found>> search(const SearchAsk& ask) override {
    for (int attempt = 0;; ++attempt) {
      HF_TRY(const bool probing, enter());
      if (auto turn = wait_for_turn(ask); !turn) {
        HF_CHECK(leave(probing, Outcome::neither));
        return fail(std::move(turn).error());
      }
      RemoteAnswer answer = remote_->ask(ask);
      if (answer) {
        HF_CHECK(leave(probing, Outcome::good));
        return *std::move(answer);
      }
      const RemoteFault& fault = answer.error();
      HF_TRY(const bool left_alone, leave(probing, fault.kind == RemoteFault::Kind::passing ? Outcome::fault : Outcome::neither));
      const milliseconds pause = pause_before(attempt, fault);
      const bool again = fault.kind != RemoteFault::Kind::final && attempt < kRetries && !probing && !left_alone &&
                         pause <= kLongestPause && fits(ask, pause);
      if (!again) return fail(fault.error);
      if (!pace_.pause(pause, ask.cancelled)) return fail(given_up());
    }
  }

  Result<void> health() override {
    HF_TRY(const bool probing, enter());
    auto healthy = remote_->health();
    HF_CHECK(leave(probing, healthy ? Outcome::good : Outcome::neither));
    return healthy;
  }

 private:
  enum class Outcome { good, fault, neither };

  Error given_up() const { return make_error(ErrorKind::cancelled, fmt::format("stopped while waiting for {}", name())); }

  bool fits(const SearchAsk& ask, milliseconds pause) const {
    return ask.deadline == Pace::Time::max() || pace_.now() + pause < ask.deadline;
  }

  // Whether the service may be asked at all; true when this is the question that tries it after a while. One whose asker died
  // without a word is given up after as long again.
  Result<bool> enter() {
    bool probing = false;
    Millis left = 0;
    HF_CHECK(memory_([&](ServiceState& state) {
      probing = false;
      left = 0;
      if (state.faults < kFaultsToOpen) return;
      const Millis now = pace_.wall();
      left = std::clamp<Millis>(std::max(state.opened_at, state.probed_at) + kProbeAfter.count() - now, 0, kProbeAfter.count());
      if (left > 0) return;
      state.probed_at = now;
      probing = true;
    }));
    if (left == 0) return probing;
    return fail(ErrorKind::unavailable, fmt::format("{} is left alone after {} faults in a row", name(), kFaultsToOpen),
                fmt::format("it is tried again in {} s", (left + 999) / 1000));
  }

  // Whether it is left alone from now on.
  Result<bool> leave(bool probing, Outcome outcome) {
    bool left_alone = false;
    HF_CHECK(memory_([&](ServiceState& state) {
      if (probing) state.probed_at = 0;
      if (outcome == Outcome::good) state.faults = 0;
      if (outcome == Outcome::fault) state.faults = std::min(state.faults + 1, kFaultsToOpen);
      left_alone = state.faults == kFaultsToOpen;
      if (left_alone && outcome == Outcome::fault) state.opened_at = pace_.wall();
    }));
    return left_alone;
  }

  // Takes a token, on credit when there is none: the pause is what it takes to earn it.
  Result<void> wait_for_turn(const SearchAsk& ask) {
    milliseconds pause{0};
    bool too_late = false;
    HF_CHECK(memory_([&](ServiceState& state) {
      const Millis now = pace_.wall();
      const double seconds = static_cast<double>(std::max<Millis>(0, now - state.filled_at)) / 1000;
      state.tokens = std::min(kBurst, state.tokens + seconds * kAsksPerSecond);
      state.filled_at = now;
      const double missing = std::max(0.0, 1 - state.tokens);
      pause = milliseconds(static_cast<std::int64_t>(missing / kAsksPerSecond * 1000 + 0.999));
      too_late = !fits(ask, pause);
      if (!too_late) state.tokens -= 1;
    }));
    if (too_late)
      return fail(ErrorKind::timeout, fmt::format("too many questions wait for {}; this one would come too late", name()));
    if (pause > milliseconds(0) && !pace_.pause(pause, ask.cancelled)) return fail(given_up());
    return {};
  }

  milliseconds pause_before(int attempt, const RemoteFault& fault) const {
    const auto longest = doubled(kShortestPause, static_cast<std::size_t>(attempt) + 1, kLongestPause);
    const auto random =
        kShortestPause +
        milliseconds(static_cast<std::int64_t>(pace_.chance() * static_cast<double>((longest - kShortestPause).count())));
    return std::max(random, fault.retry_after.value_or(milliseconds(0)));
  }

  const std::unique_ptr<RemoteSearch> remote_;
  const ServiceMemory memory_;
  const Pace pace_;
};

}  // namespace

Pace Pace::real() {
  Pace pace;
  pace.now = [] { return std::chrono::steady_clock::now(); };
  pace.wall = [] { return session::lease_time_now().wall; };
  pace.pause = sleep_unless;
  pace.chance = holdfast::chance;
  return pace;
}

std::unique_ptr<SearchProvider> make_resilient(std::unique_ptr<RemoteSearch> remote, ServiceMemory memory, Pace pace) {
  return std::make_unique<ResilientProvider>(std::move(remote), std::move(memory), std::move(pace));
}

namespace {

constexpr std::string_view kServices = "research.services";
// A service nobody has asked for a day is like a new one.
constexpr Millis kRememberedFor = 86'400'000;
constexpr double kThousand = 1000;  // tokens are kept as whole thousandths

ServiceState read_service(const Json& value) {
  ServiceState state;
  if (!value.is_object()) return state;
  const JsonObject& row = value.as_object();
  if (const auto tokens = find_int(row, "tokens")) state.tokens = static_cast<double>(*tokens) / kThousand;
  state.filled_at = find_int(row, "filledAt").value_or(0);
  state.faults = static_cast<int>(find_int(row, "faults").value_or(0));
  state.opened_at = find_int(row, "openedAt").value_or(0);
  state.probed_at = find_int(row, "probedAt").value_or(0);
  return state;
}

}  // namespace

ServiceMemory remembered_in(session::Store& store, const std::string& service) {
  return [&store, key = to_hex(sha256(service))](const std::function<void(ServiceState&)>& change) {
    return store.write([&](session::Transaction& transaction) -> Result<void> {
      HF_TRY(const auto kept, transaction.value(kServices, key));
      const ServiceState before = kept ? read_service(kept->value) : ServiceState();
      ServiceState state = before;
      change(state);
      if (state == before) return {};
      const JsonObject row{{"tokens", static_cast<std::int64_t>(std::floor(state.tokens * kThousand))},
                           {"filledAt", state.filled_at},
                           {"faults", state.faults},
                           {"openedAt", state.opened_at},
                           {"probedAt", state.probed_at}};
      HF_CHECK(transaction.put(kServices, key, row, {}, transaction.now() + kRememberedFor));
      return {};
    });
  };
}

}  // namespace holdfast::research
