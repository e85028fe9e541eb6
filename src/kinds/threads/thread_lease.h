#pragma once

// A thread's lease: the right to be the one who asks a model on a thread, across threads and processes (§9: calls on one thread
// are serialised).
//
// A lease of the store, `thread/<id>`, renewed in the background for as long as this lives: a model may take longer than it
// lasts. A process that dies gives it up at once. What its holder writes is conditional on it, so that one that was thought dead
// and wakes up changes nothing.

#include "kinds/threads/threads.h"
#include "session/store.h"

#include <chrono>
#include <memory>
#include <string_view>

namespace holdfast::threads {

class ThreadLease {
 public:
  // Waits for others. Errors: unavailable with code STORAGE_BUSY after `patience`, cancelled.
  static Result<ThreadLease> take(session::Store& store, const Who& who, std::string_view thread_id,
                                  std::chrono::milliseconds patience);
  ThreadLease(ThreadLease&&) noexcept;
  ThreadLease& operator=(ThreadLease&&) = delete;
  ~ThreadLease();  // lets the next one have it

  // STORAGE_BUSY when somebody else has taken over.
  Result<void> require(session::Transaction& transaction) const;

 private:
  struct Held;
  explicit ThreadLease(std::unique_ptr<Held> held);
  std::unique_ptr<Held> held_;
};

}  // namespace holdfast::threads
