#pragma once

// Tells listeners of this process of tasks that another one runs. Their rows are looked at when somebody was woken, which a
// process does with each change of a task; states that followed each other quickly may be told as one. I/O thread only.

#include "base/run/executor.h"
#include "base/run/pool.h"
#include "mcp/server/mailbox.h"
#include "mcp/server/state_store.h"
#include "mcp/server/subscriptions.h"
#include "mcp/server/tasks.h"

#include <map>
#include <memory>
#include <string>

namespace holdfast::mcp {

class TaskNews {
 public:
  TaskNews(Executor& executor, Pool& pool, StateStore& store, Mailbox& mailbox, Subscriptions& subscriptions, Tasks& tasks);
  ~TaskNews() { *alive_ = false; }

  // Also after somebody began to listen.
  void look();
  // Listeners have heard of it: this process runs the task.
  void note_told(const std::string& id, const JsonObject& task);

 private:
  struct Found {
    std::string id;
    Tasks::Found task;
  };
  void tell(std::vector<Found> found);
  void check_later();

  Executor& executor_;
  Pool& pool_;
  StateStore& store_;
  Subscriptions& subscriptions_;
  Tasks& tasks_;
  std::map<std::string, std::string> told_;  // id -> the task as it was last told
  bool looking_ = false, look_again_ = false, check_due_ = false;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace holdfast::mcp
