#pragma once

// How a process learns that another one has committed.
//
// Whoever commits afterwards sets the time stamp of the log file; inotify tells every process that watches. (The writing of the
// log alone is no signal: it comes before the commit is visible.) Without watchers this costs one system call per commit.

#include "store/sqlite/context.h"
#include "store/sqlite/read_pool.h"
#include "store/tables/event_hub.h"

#include <functional>

namespace holdfast::store {

class CommitWatch final : public EventSource {
 public:
  // `on_log_gone`: somebody has removed the log; runs on the thread that waits.
  CommitWatch(const Context& context, ReadPool& readers, std::function<void()> on_log_gone)
      : context_(context), readers_(readers), on_log_gone_(std::move(on_log_gone)) {}

  Result<void> begin() override;
  Heard wait(const Fd& stop) override;
  void end() override { notices_ = Fd(); }
  Result<std::vector<session::Event>> events_after(std::int64_t sequence, std::size_t limit) override;
  Result<std::int64_t> last_sequence() override;

  // After a commit of this process. Never fails, never waits.
  void announce() const;

 private:
  bool take_notices();  // whether one was about the log

  const Context& context_;
  ReadPool& readers_;
  const std::function<void()> on_log_gone_;
  Fd notices_;
};

}  // namespace holdfast::store
