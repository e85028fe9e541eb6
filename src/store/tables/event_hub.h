#pragma once

// Live events of a store: one path for the commits of this process and of all others.
//
// The database's way of saying that something was committed is an EventSource; a thread here waits for it and reads what is new
// by its sequence number. The thread exists while there are subscribers; without them events cost nothing here.

#include "base/files/fd.h"
#include "base/result.h"
#include "session/events.h"
#include "store/tables/sql.h"

#include <mutex>
#include <set>
#include <thread>

namespace holdfast::store {

// Called by one thread at a time, never under a lock of the hub that a subscriber could want.
class EventSource {
 public:
  virtual ~EventSource() = default;
  // From now on commits are noticed; what is committed later ends the next wait().
  virtual Result<void> begin() = 0;
  // Until something was committed, or may have been, or `stop` is readable.
  struct Heard {
    bool stop = false;
    bool events = false;  // there may be new ones
    bool wake = false;    // somebody may have asked for it
  };
  virtual Heard wait(const Fd& stop) = 0;
  virtual void end() = 0;

  virtual Result<std::vector<session::Event>> events_after(std::int64_t sequence, std::size_t limit) = 0;
  virtual Result<std::int64_t> last_sequence() = 0;
};

// Events are not stored: they are what has a higher sequence number than the reader has seen. Entries have one each, records the
// one of their last change, tombstones that of the purge; so the highest number given out is always found again, also after a
// purge.
Result<std::vector<session::Event>> read_events_after(Sql& sql, std::int64_t sequence, std::size_t limit);
Result<std::int64_t> read_last_sequence(Sql& sql);

class EventHub {
 public:
  explicit EventHub(EventSource& source) : source_(source) {}
  ~EventHub();  // all subscriptions are gone by then

  Result<std::unique_ptr<session::Subscription>> subscribe(session::SubscribeOptions options);

 private:
  class Queue;

  Result<void> start();
  void finish();  // under life_mutex_
  void deliver_news();
  void wake_all();
  void leave(Queue& queue);

  EventSource& source_;

  std::mutex life_mutex_;  // starting and ending the thread
  std::thread thread_;
  Fd stop_;

  std::mutex mutex_;  // the members below, and every call of on_ready and on_wake
  std::set<Queue*> queues_;
  std::int64_t delivered_ = 0;
};

}  // namespace holdfast::store
