#pragma once

// Messages between the processes that share a store: an answer for the process that asked, the end of a session, a list that has
// changed. Consecutive requests of one client may reach different processes; what one of them knows and another needs goes
// through here.
//
// A message is a row of the store under the address of whom it is for, and everybody is woken; the addressee takes it out and
// hands it to whoever takes that kind. So it arrives once, or not at all when its addressee has died. A process that can be
// written to has a row of its own, renewed while it lives (design 8.16). Where the store is not shared nothing happens here.
//
// I/O thread only, except join(), which blocks.

#include "base/run/clock.h"
#include "base/run/executor.h"
#include "base/run/pool.h"
#include "mcp/server/state_store.h"

#include <atomic>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace holdfast::mcp {

class Mailbox {
 public:
  Mailbox(Executor& executor, Pool& pool, const Clock& clock, StateStore& store);
  ~Mailbox();

  // Before serving: who takes messages of this kind.
  using Take = std::function<void(const JsonObject& content)>;
  void on(std::string kind, Take take) { takers_[std::move(kind)] = std::move(take); }

  // Pool thread: when it has returned, others can write to this process, and know that it lives. Only the first call does
  // anything. Errors: those of the store.
  Result<void> join();
  // The same in the background, tried again until it works.
  void join_soon();
  // Says that this process can no longer be written to.
  void leave();

  // Durable when `sent` is called. To an address that nobody has: not_found.
  using Sent = std::function<void(Result<void>)>;
  void send(std::string address, std::string kind, JsonObject content, Sent sent = {});
  // To every other process that can be written to.
  void send_to_others(std::string kind, JsonObject content, Sent sent = {});

  // For those who wait for a row that others write (with wake()): `look` runs when somebody was woken since `seen`, or when
  // the time is over, whichever is first.
  std::uint64_t wakes() const { return wakes_; }
  void when_woken(std::uint64_t seen, std::chrono::milliseconds at_most, Task look);
  // Every time, for as long as the mailbox lives.
  void on_wake(std::function<void()> look) { lookers_.push_back(std::move(look)); }

 private:
  struct Waiting {
    TimerId timer = 0;
    Task look;
  };

  void woken();
  void look_into_the_box();
  void beat();
  Result<void> write_own_row();
  static Result<void> write_message(StateTransaction& store, std::string_view address, const JsonObject& message, Millis until);
  void submit_change(StateStore::Work work, Sent sent);

  Executor& executor_;
  Pool& pool_;
  const Clock& clock_;
  StateStore& store_;
  std::map<std::string, Take, std::less<>> takers_;
  std::vector<std::function<void()>> lookers_;
  std::list<Waiting> waiting_;
  std::uint64_t wakes_ = 0;
  bool looking_ = false, look_again_ = false;
  bool left_ = false;
  std::atomic<bool> wake_posted_ = false;

  std::mutex join_mutex_;
  bool joined_ = false;  // guarded by join_mutex_
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace holdfast::mcp
