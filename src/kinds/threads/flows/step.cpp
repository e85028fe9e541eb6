#include "kinds/threads/flows/step.h"

#include "base/run/log.h"
#include "base/run/ticker.h"

#include <fmt/format.h>

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

using session::SessionRecord;
using session::Transaction;

Result<Begun> begin_step(const Workplace& place, const NewThread& thread, std::string_view thread_id, std::string_view text,
                         std::string_view key, const JsonObject& state) {
  const bool fresh = thread_id.empty();
  if (!fresh) HF_CHECK(find_thread(place.store, place.who, thread_id, thread.kind));  // before anybody waits
  const std::string id = fresh ? new_thread_id() : std::string(thread_id);
  HF_TRY(ThreadLease lease, ThreadLease::take(place.store, place.who, id, place.patience));
  Incoming incoming;
  incoming.role = "user";
  incoming.content = text;
  HF_TRY(Kept kept, place.store.write([&](Transaction& transaction) -> Result<Kept> {
    HF_CHECK(lease.require(transaction));
    HF_TRY(SessionRecord record,
           fresh ? make_thread(transaction, place.who, thread, id) : find_thread(transaction, place.who, id, thread.kind));
    if (fresh && !state.empty()) {
      record.data[key] = state;
      HF_TRY(record, transaction.update(std::move(record)));
    }
    if (!text.empty()) return keep_message(transaction, std::move(record), incoming);
    Kept nothing;
    nothing.record = std::move(record);
    return nothing;
  }));
  Begun begun{std::move(kept.record), std::move(lease), std::nullopt};
  if (!text.empty()) begun.question = std::move(kept.message);
  return begun;
}

Result<KeptStep> keep_result(const Workplace& place, const Begun& begun, const StepResult& result) {
  return place.store.write([&](Transaction& transaction) -> Result<KeptStep> {
    HF_CHECK(begun.lease.require(transaction));
    KeptStep kept;
    HF_TRY(kept.record, find_thread(transaction, place.who, begun.record.id));
    if (!result.message.content.empty()) {
      HF_TRY(Kept message, keep_message(transaction, std::move(kept.record), result.message, result.message_key));
      kept.record = std::move(message.record);
      kept.message = std::move(message.message);
    }
    HF_CHECK(keep_step(transaction, kept.record, result.step));
    HF_TRY(kept.record, transaction.get(begun.record.id));
    if (!result.state.empty()) {
      kept.record.data[result.key] = result.state;
      HF_TRY(kept.record, transaction.update(std::move(kept.record)));
    }
    return kept;
  });
}

Incoming answer_of(const model::Reply& reply, std::string content, std::string_view reply_to) {
  Incoming incoming;
  incoming.role = "assistant";
  incoming.content = std::move(content);
  incoming.provider = reply.provider;
  incoming.model = reply.model;
  incoming.tokens = reply.tokens;
  incoming.reply_to = reply_to;
  return incoming;
}

}  // namespace holdfast::threads
