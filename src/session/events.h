#pragma once

// Live events: what changed, for pages and subscriptions.
//
// An event says that something is there to be read; it does not carry it. `sequence` is the store's
// own numbering, the same in every process, strictly increasing: a subscriber that remembers the
// last one it saw can ask Store::events_after for the rest, also after a restart. Events of other
// processes that use the same store arrive the same way as those of this one.
//
// Subscribing never slows or fails a write: queues are bounded, and a subscriber that is too slow is
// told that it lost events instead of being waited for.

#include "base/run/clock.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace holdfast::session {

enum class EventType {
  entry,    // an entry was appended (seq says which)
  changed,  // the record was created or changed
  purged    // record and entries are gone
};

struct Event {
  std::int64_t sequence = 0;
  EventType type = EventType::changed;
  std::string session;
  std::string kind;
  std::int64_t seq = 0;  // of the entry; 0 for the other types
  std::int64_t rev = 0;
};

// Events waiting for one subscriber. Destroying it ends the subscription; when the destructor has
// returned, on_ready does not run any more.
class Subscription {
 public:
  virtual ~Subscription() = default;

  struct Taken {
    std::vector<Event> events;  // in order
    bool lost = false;          // the queue overflowed before the first of these
  };
  // What has arrived; empty when nothing has. Any thread.
  virtual Taken take() = 0;
};

struct SubscribeOptions {
  std::string session;  // only this one; empty: all
  // Called from a thread of the store when something can be taken that could not before; must be
  // short (post to your executor) and must not call the store.
  std::function<void()> on_ready;
  // Called likewise when a transaction that asked for it (Transaction::wake) has been committed, by whatever process; now and
  // then also without cause. With on_wake alone no events are kept.
  std::function<void()> on_wake;
};

}  // namespace holdfast::session
