#pragma once

// Live events of a store: one path for the commits of this process and of all others.
//
// Whoever commits afterwards sets the time stamp of the log file; inotify tells every process that has a
// subscriber, and a thread there reads what is new by its sequence number. (The writing of the log alone
// is no signal: it comes before the commit is visible.) The thread exists while there are subscribers;
// without them events cost one system call per commit.

#include "base/fd.h"
#include "session/events.h"
#include "store/sqlite/context.h"
#include "store/sqlite/read_pool.h"

#include <mutex>
#include <set>
#include <thread>

namespace holdfast::store {

class EventHub {
 public:
  EventHub(const Context& context, ReadPool& readers) : context_(context), readers_(readers) {}
  ~EventHub();  // all subscriptions are gone by then

  Result<std::unique_ptr<session::Subscription>> subscribe(session::SubscribeOptions options);

  // After a commit of this process. Never fails, never waits.
  void announce_commit() const;

 private:
  class Queue;

  Result<void> start();
  void watch(const Fd& notices, const Fd& stop);
  void deliver_news();
  void leave(Queue& queue);

  const Context& context_;
  ReadPool& readers_;

  std::mutex life_mutex_;  // starting and ending the thread
  std::thread thread_;
  Fd stop_;

  std::mutex mutex_;  // the members below, and every call of on_ready
  std::set<Queue*> queues_;
  std::int64_t delivered_ = 0;
};

}  // namespace holdfast::store
