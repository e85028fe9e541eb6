#include "store/tables/event_hub.h"

#include "base/run/log.h"
#include "session/limits.h"

#include <sys/eventfd.h>

#include <cerrno>
#include <exception>

namespace holdfast::store {

using session::Event;

class EventHub::Queue final : public session::Subscription {
 public:
  Queue(EventHub& hub, session::SubscribeOptions options, std::int64_t from)
      : hub_(hub), options_(std::move(options)), from_(from) {}
  ~Queue() override { hub_.leave(*this); }

  Taken take() override {
    const std::lock_guard lock(mutex_);
    return std::exchange(waiting_, {});
  }

  void wake() const {
    if (options_.on_wake) options_.on_wake();
  }

  void offer(const std::vector<Event>& events) {
    if (options_.on_wake && !options_.on_ready) return;
    bool wake = false;
    {
      const std::lock_guard lock(mutex_);
      const bool was_empty = waiting_.events.empty() && !waiting_.lost;
      for (const Event& event : events) {
        if (event.sequence <= from_ || (!options_.session.empty() && event.session != options_.session)) continue;
        if (waiting_.events.size() >= session::kEventQueueLength) {
          // The oldest go first: a page that has fallen behind wants the present.
          waiting_.events.clear();
          waiting_.lost = true;
        }
        waiting_.events.push_back(event);
        wake = was_empty;
      }
    }
    if (wake && options_.on_ready) options_.on_ready();
  }

 private:
  EventHub& hub_;
  const session::SubscribeOptions options_;
  const std::int64_t from_;
  std::mutex mutex_;
  Taken waiting_;
};

Result<std::vector<Event>> read_events_after(Sql& sql, std::int64_t sequence, std::size_t limit) {
  // Each part by its own index, and no further than the limit.
  return sql.all<Event>(
      "SELECT * FROM (SELECT e.sequence, 0, s.id, s.kind, e.seq, s.rev FROM (SELECT sequence, session, seq FROM entries WHERE "
      "sequence > ? ORDER BY sequence LIMIT ?) AS e JOIN sessions AS s ON s.key = e.session) AS appended "
      "UNION ALL SELECT * FROM (SELECT changed, 1, id, kind, 0, rev FROM sessions WHERE changed > ? ORDER BY changed LIMIT ?) AS "
      "updated UNION ALL SELECT * FROM (SELECT changed, 2, id, kind, 0, 0 FROM tombstones WHERE changed > ? ORDER BY changed "
      "LIMIT ?) AS purged ORDER BY 1 LIMIT ?",
      {sequence, limit, sequence, limit, sequence, limit, limit}, [](const Columns& row) {
        return Event{row.integer(0),           static_cast<session::EventType>(row.integer(1)),
                     std::string(row.text(2)), std::string(row.text(3)),
                     row.integer(4),           row.integer(5)};
      });
}

Result<std::int64_t> read_last_sequence(Sql& sql) {
  HF_TRY(const auto last, sql.first<std::int64_t>("SELECT coalesce(max(number), 0) FROM (SELECT max(sequence) AS number FROM "
                                                  "entries UNION ALL SELECT max(changed) FROM sessions UNION ALL SELECT "
                                                  "max(changed) FROM tombstones) AS numbers",
                                                  {}, [](const Columns& row) { return row.integer(0); }));
  return last.value_or(0);
}

EventHub::~EventHub() {
  finish();
}

void EventHub::finish() {
  if (!thread_.joinable()) return;
  static_cast<void>(::eventfd_write(stop_.get(), 1));
  thread_.join();
  source_.end();
}

Result<std::unique_ptr<session::Subscription>> EventHub::subscribe(session::SubscribeOptions options) {
  const std::lock_guard life(life_mutex_);
  HF_CHECK(start());
  // Read after the watch began: what is committed later is announced.
  HF_TRY(const std::int64_t last, source_.last_sequence());
  auto queue = std::make_unique<Queue>(*this, std::move(options), last);
  const std::lock_guard lock(mutex_);
  if (queues_.empty()) delivered_ = last;
  queues_.insert(queue.get());
  return queue;
}

void EventHub::leave(Queue& queue) {
  const std::lock_guard life(life_mutex_);
  {
    const std::lock_guard lock(mutex_);
    queues_.erase(&queue);
    if (!queues_.empty()) return;
  }
  finish();
}

Result<void> EventHub::start() {
  if (thread_.joinable()) return {};
  HF_CHECK(source_.begin());
  stop_ = Fd(::eventfd(0, EFD_CLOEXEC));
  if (!stop_) return fail(system_error("eventfd", errno));
  try {
    thread_ = std::thread([this] {
      while (true) {
        const EventSource::Heard heard = source_.wait(stop_);
        if (heard.stop) return;
        if (heard.events) deliver_news();
        if (heard.wake) wake_all();
      }
    });
  } catch (const std::exception& problem) {
    source_.end();
    return fail(ErrorKind::unavailable, std::string("there is no thread for live events: ") + problem.what(), "try again");
  }
  return {};
}

void EventHub::wake_all() {
  const std::lock_guard lock(mutex_);
  for (const Queue* queue : queues_) queue->wake();
}

void EventHub::deliver_news() {
  while (true) {
    std::int64_t from = 0;
    {
      const std::lock_guard lock(mutex_);
      from = delivered_;
    }
    auto events = source_.events_after(from, session::kEventQueueLength);
    if (!events) {
      log(LogLevel::warn, "store", "cannot read new events: " + events.error().message);
      return;
    }
    if (events->empty()) return;
    const std::lock_guard lock(mutex_);
    delivered_ = events->back().sequence;
    for (Queue* queue : queues_) queue->offer(*events);
  }
}

}  // namespace holdfast::store
