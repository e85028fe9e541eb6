#include "kinds/threads/thread_lease.h"

#include "base/run/log.h"

#include <fmt/format.h>

#include <condition_variable>
#include <mutex>
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
  Held(session::Store& its_store, std::string its_thread, session::LeaseOwner its_owner, std::int64_t its_epoch)
      : store(its_store), thread(std::move(its_thread)), owner(std::move(its_owner)), epoch(its_epoch) {}

  ~Held() {
    {
      const std::lock_guard lock(mutex);
      over = true;
    }
    changed.notify_all();
    if (heartbeat.joinable()) heartbeat.join();
    auto released = store.write([this](session::Transaction& t) { return t.release_lease(name(), owner, epoch); });
    if (!released) log(LogLevel::debug, "threads", fmt::format("release {}: {}", name(), released.error().message));
  }

  std::string name() const { return "thread/" + thread; }

  void renew() {
    std::unique_lock lock(mutex);
    while (!changed.wait_for(lock, milliseconds(session::kLeaseRenewEvery), [this] { return over; })) {
      lock.unlock();
      auto renewed = store.write([this](session::Transaction& t) { return t.renew_lease(name(), owner, epoch); });
      if (!renewed) log(LogLevel::warn, "threads", fmt::format("renew {}: {}", name(), renewed.error().message));
      lock.lock();
    }
  }

  session::Store& store;
  const std::string thread;
  const session::LeaseOwner owner;
  const std::int64_t epoch;
  std::mutex mutex;
  std::condition_variable changed;
  bool over = false;  // guarded by mutex
  std::thread heartbeat;
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
        auto held = std::make_unique<Held>(store, std::string(thread_id), owner, lease->epoch);
        try {
          held->heartbeat = std::thread([raw = held.get()] { raw->renew(); });
        } catch (const std::system_error& problem) {
          return fail(ErrorKind::unavailable, fmt::format("cannot start a thread: {}", problem.what()), {}, "INTERNAL_ERROR");
        }
        return ThreadLease(std::move(held));
      }
      if (lease.error().kind != ErrorKind::conflict) return fail(std::move(lease).error());
    }
    if (SteadyClock::now() >= deadline) return busy(thread_id);
    std::this_thread::sleep_for(kLookEvery);
  }
}

Result<void> ThreadLease::require(session::Transaction& transaction) const {
  auto held = transaction.require_lease(held_->name(), held_->owner, held_->epoch);
  if (!held && held.error().kind == ErrorKind::conflict) return busy(held_->thread);
  return held;
}

}  // namespace holdfast::threads
