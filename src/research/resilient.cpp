#include "research/resilient.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <random>
#include <thread>

namespace holdfast::research {
namespace {

using std::chrono::duration_cast;
using std::chrono::milliseconds;

// How soon a pause notices that the caller gave up: a small part of the two seconds in which a cancelled run must answer (§11).
constexpr milliseconds kLookUp{50};

class ResilientProvider final : public SearchProvider {
 public:
  ResilientProvider(std::unique_ptr<RemoteSearch> remote, Pace pace)
      : remote_(std::move(remote)), pace_(std::move(pace)), filled_at_(pace_.now()) {}

  std::string_view name() const override { return remote_->name(); }

  Result<std::vector<Found>> search(const SearchAsk& ask) override {
    for (int attempt = 0;; ++attempt) {
      HF_TRY(const bool probing, enter());
      if (auto turn = wait_for_turn(ask); !turn) {
        leave(probing, Outcome::neither);
        return fail(std::move(turn).error());
      }
      RemoteAnswer answer = remote_->ask(ask);
      if (answer) {
        leave(probing, Outcome::good);
        return *std::move(answer);
      }
      const RemoteFault& fault = answer.error();
      leave(probing, fault.kind == RemoteFault::Kind::passing ? Outcome::fault : Outcome::neither);
      const milliseconds pause = pause_before(attempt, fault);
      const bool again = fault.kind != RemoteFault::Kind::final && attempt < kRetries && !probing && !is_open() &&
                         pause <= kLongestPause && fits(ask, pause);
      if (!again) return fail(fault.error);
      if (!pace_.pause(pause, ask.cancelled)) return fail(given_up());
    }
  }

  Result<void> health() override {
    HF_TRY(const bool probing, enter());
    auto healthy = remote_->health();
    leave(probing, healthy ? Outcome::good : Outcome::neither);
    return healthy;
  }

 private:
  enum class Outcome { good, fault, neither };

  Error given_up() const { return make_error(ErrorKind::cancelled, fmt::format("stopped while waiting for {}", name())); }

  bool fits(const SearchAsk& ask, milliseconds pause) const {
    return ask.deadline == Pace::Time::max() || pace_.now() + pause < ask.deadline;
  }

  // Whether the service may be asked at all; true when this is the question that tries it after a while.
  Result<bool> enter() {
    const std::lock_guard lock(mutex_);
    if (faults_ < kFaultsToOpen) return false;
    const milliseconds left = duration_cast<milliseconds>(opened_at_ + kProbeAfter - pace_.now());
    if (left <= milliseconds(0) && !probing_) {
      probing_ = true;
      return true;
    }
    return fail(ErrorKind::unavailable, fmt::format("{} is left alone after {} faults in a row", name(), kFaultsToOpen),
                fmt::format("it is tried again in {} s", std::max<std::int64_t>(0, (left.count() + 999) / 1000)));
  }

  void leave(bool probing, Outcome outcome) {
    const std::lock_guard lock(mutex_);
    if (probing) probing_ = false;
    if (outcome == Outcome::good) faults_ = 0;
    if (outcome != Outcome::fault) return;
    faults_ = std::min(faults_ + 1, kFaultsToOpen);
    if (faults_ == kFaultsToOpen) opened_at_ = pace_.now();
  }

  bool is_open() const {
    const std::lock_guard lock(mutex_);
    return faults_ >= kFaultsToOpen;
  }

  // Takes a token, on credit when there is none: the pause is what it takes to earn it.
  Result<void> wait_for_turn(const SearchAsk& ask) {
    milliseconds pause{0};
    {
      const std::lock_guard lock(mutex_);
      const Pace::Time now = pace_.now();
      const double seconds = std::chrono::duration<double>(now - filled_at_).count();
      tokens_ = std::min(kBurst, tokens_ + seconds * kAsksPerSecond);
      filled_at_ = now;
      const double missing = std::max(0.0, 1 - tokens_);
      pause = milliseconds(static_cast<std::int64_t>(missing / kAsksPerSecond * 1000 + 0.999));
      if (!fits(ask, pause))
        return fail(ErrorKind::timeout, fmt::format("too many questions wait for {}; this one would come too late", name()));
      tokens_ -= 1;
    }
    if (pause > milliseconds(0) && !pace_.pause(pause, ask.cancelled)) return fail(given_up());
    return {};
  }

  milliseconds pause_before(int attempt, const RemoteFault& fault) const {
    const auto longest = std::min(kLongestPause, kShortestPause * (2 << attempt));
    const auto random =
        kShortestPause +
        milliseconds(static_cast<std::int64_t>(pace_.chance() * static_cast<double>((longest - kShortestPause).count())));
    return std::max(random, fault.retry_after.value_or(milliseconds(0)));
  }

  const std::unique_ptr<RemoteSearch> remote_;
  const Pace pace_;

  mutable std::mutex mutex_;  // guards what follows
  double tokens_ = kBurst;
  Pace::Time filled_at_;
  int faults_ = 0;  // in a row
  Pace::Time opened_at_;
  bool probing_ = false;
};

}  // namespace

Pace Pace::real() {
  Pace pace;
  pace.now = [] { return std::chrono::steady_clock::now(); };
  pace.pause = [](milliseconds time, const std::function<bool()>& cancelled) {
    const auto end = std::chrono::steady_clock::now() + time;
    for (auto now = end - time; now < end; now = std::chrono::steady_clock::now()) {
      if (cancelled && cancelled()) return false;
      std::this_thread::sleep_for(std::min<std::chrono::nanoseconds>(end - now, kLookUp));
    }
    return true;
  };
  pace.chance = [] {
    thread_local std::minstd_rand numbers(std::random_device{}());
    return std::uniform_real_distribution<double>(0, 1)(numbers);
  };
  return pace;
}

std::unique_ptr<SearchProvider> make_resilient(std::unique_ptr<RemoteSearch> remote, Pace pace) {
  return std::make_unique<ResilientProvider>(std::move(remote), std::move(pace));
}

}  // namespace holdfast::research
