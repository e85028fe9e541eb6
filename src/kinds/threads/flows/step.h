#pragma once

// What thinkdeep, ideate and consensus have in common: a thread whose record keeps their state, a question that is durable before
// a model is asked, and steps that are kept with their state in one transaction.

#include "kinds/threads/record.h"
#include "kinds/threads/threads.h"
#include "session/store.h"

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace holdfast::threads {

// A thread's lease: the right to be the one who asks a model on a thread, across threads and processes (§9: calls on one thread
// are serialised).
//
// A lease of the store, `thread/<id>`, renewed in the background for as long as this lives: a model may take longer than it
// lasts. A process that dies gives it up at once. What its holder writes is conditional on it, so that one that was thought dead
// and wakes up changes nothing.
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

// What every call that asks a model works with. Lives for one call.
struct Workplace {
  session::Store& store;
  model::Models& models;
  std::chrono::milliseconds patience;  // with others on the same thread
  const Who& who;
};

// Of the topic, in every prompt; the whole of a longer one is the first message.
inline constexpr std::size_t kTopicCharacters = 2000;

// The thread of the call, with the lease on it.
struct Begun {
  session::SessionRecord record;
  ThreadLease lease;
  std::optional<Message> question;  // the user's message of this call
};
// The thread with that id, which must be of thread.kind, or a new one when the id is empty. `text`, if there is any, is kept as
// the user's message; a new thread and its first message are one transaction. `state` goes to data[key] of a new one.
Result<Begun> begin_step(const Workplace& place, const NewThread& thread, std::string_view thread_id, std::string_view text,
                         std::string_view key = {}, const JsonObject& state = {});

// What a step leaves behind.
struct StepResult {
  std::string key;   // of the record's data: state
  JsonObject state;  // replaces what is there; empty: stays
  JsonObject step;   // kept as an entry of type "step"
  Incoming message;  // of the assistant; none when its content is empty
  std::string message_key;
};
struct KeptStep {
  session::SessionRecord record;
  std::optional<Message> message;
};
// One transaction, conditional on the lease and on the thread not being deleted.
Result<KeptStep> keep_result(const Workplace& place, const Begun& begun, const StepResult& result);

// The assistant's message that a reply becomes.
Incoming answer_of(const model::Reply& reply, std::string content, std::string_view reply_to);

}  // namespace holdfast::threads
