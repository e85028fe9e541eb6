#include "kinds/threads/thread_lease.h"

#include "base/run/log.h"
#include "base/run/ticker.h"

#include <fmt/format.h>

#include <string>
#include <system_error>
#include <thread>

namespace holdfast::threads {
namespace {

using std::chrono::milliseconds;
using SteadyClock = std::chrono::steady_clock;

// Leases of other processes cannot be waited for; a person does not notice this.
constexpr milliseconds kLookEvery{20};

std::unexpected<Error> busy(std::string_view thread_id) {
  return fail(ErrorKind::unavailable, fmt::format("thread {} is busy: another call is waiting for a model", thread_id),
              "try again when it has answered", "STORAGE_BUSY");
}

}  // namespace

struct ThreadLease::Held {
  Held(session::Store& its_store, std::string_view its_thread, session::Lease its_lease)
      : store(its_store), thread(its_thread), lease(std::move(its_lease)) {}

  ~Held() {
    heartbeat.stop();
    auto released =
        store.write([this](session::Transaction& t) { return t.release_lease(lease.name, lease.owner, lease.epoch); });
    if (!released) log(LogLevel::debug, "threads", fmt::format("release {}: {}", lease.name, released.error().message));
  }

  void renew() {
    auto renewed = store.write([this](session::Transaction& t) { return t.renew_lease(lease.name, lease.owner, lease.epoch); });
    if (!renewed) log(LogLevel::warn, "threads", fmt::format("renew {}: {}", lease.name, renewed.error().message));
  }

  session::Store& store;
  const std::string thread;
  const session::Lease lease;
  Ticker heartbeat{"threads", milliseconds(session::kLeaseRenewEvery), Ticker::First::after_pause,
                   [this](const std::stop_token&) { renew(); }};
};

ThreadLease::ThreadLease(std::unique_ptr<Held> held) : held_(std::move(held)) {}
ThreadLease::ThreadLease(ThreadLease&&) noexcept = default;
ThreadLease::~ThreadLease() = default;

Result<ThreadLease> ThreadLease::take(session::Store& store, const Who& who, std::string_view thread_id, milliseconds patience) {
  const std::string name = fmt::format("thread/{}", thread_id);
  const session::LeaseOwner owner = session::make_lease_owner();
  const auto deadline = SteadyClock::now() + patience;
  for (;;) {
    if (who.cancelled && who.cancelled()) return fail(ErrorKind::cancelled, "stopped while waiting for the thread");
    HF_TRY(const auto current, store.lease(name));
    if (!current || is_over(*current, session::lease_time_now())) {
      auto lease = store.write([&](session::Transaction& t) { return t.acquire_lease(name, owner); });
      if (lease) {
        try {
          return ThreadLease(std::make_unique<Held>(store, thread_id, *lease));
        } catch (const std::system_error& problem) {
          static_cast<void>(store.write([&](session::Transaction& t) { return t.release_lease(name, owner, lease->epoch); }));
          return fail(ErrorKind::unavailable, fmt::format("cannot start a thread: {}", problem.what()), {}, "INTERNAL_ERROR");
        }
      }
      if (lease.error().kind != ErrorKind::conflict) return fail(std::move(lease).error());
    }
    if (SteadyClock::now() >= deadline) return busy(thread_id);
    std::this_thread::sleep_for(kLookEvery);
  }
}

Result<void> ThreadLease::require(session::Transaction& transaction) const {
  auto held = transaction.require_lease(held_->lease.name, held_->lease.owner, held_->lease.epoch);
  if (!held && held.error().kind == ErrorKind::conflict) return busy(held_->thread);
  return held;
}

}  // namespace holdfast::threads
