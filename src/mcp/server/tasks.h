#pragma once

// The tasks extension (io.modelcontextprotocol/tasks): calls that go on after they have been answered.
//
// A task belongs to who began it, and is there for those alone who see all that its owner sees (Identity::covers): what its call
// answers may speak of every project of the owner.
//
// A task is a row of the state store, so every process can tell how it stands. The process that runs it
// keeps the row in memory too and is its only writer; answers and cancellations that reach another process
// arrive by the mailbox, and are acknowledged once the row shows them: who asks any process next sees what it has done. A task
// whose process has died is reported as failed. One that waits for an answer longer than its life is over; one that works longer
// is kept.
//
// I/O thread only, except create(), which blocks.

#include "base/run/clock.h"
#include "base/run/executor.h"
#include "base/run/pool.h"
#include "mcp/server/mailbox.h"
#include "mcp/server/run.h"
#include "mcp/server/state_store.h"
#include "mcp/server/subscriptions.h"
#include "mcp/wire/rpc.h"

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::mcp {

// Members of the _meta of a task that this server understands itself.

// What a client should do when the server that ran the task has stopped. Absent: call the tool again.
inline constexpr std::string_view kWhenStopped = "holdfast/when_stopped";

class Tasks {
 public:
  // on_change gets the whole task, as tasks/get would give it, and whose it is.
  using OnChange = std::function<void(const std::string& id, const Identity& owner, const JsonObject& task)>;

  Tasks(Executor& executor, Pool& pool, const Clock& clock, StateStore& store, Mailbox& mailbox, OnChange on_change);
  ~Tasks();

  // Pool thread: a durable row for a new task. Returns it with its taskId. Errors: unavailable (too many tasks),
  // those of the store.
  Result<JsonObject> create(const Identity& owner, const std::string& status_message, JsonObject meta = {},
                            bool outlives = false);
  // CreateTaskResult of a row.
  static JsonObject created_result(const JsonObject& row);

  void adopt(std::shared_ptr<Run> run, JsonObject row);
  void say(const std::string& id, std::string message);
  void ask(const std::string& id, JsonObject input_requests);
  void complete(const std::string& id, JsonObject result);
  void fail(const std::string& id, const RpcError& error);
  void cancel(const std::string& id);  // the row and the handler

  // Tasks whose work goes on elsewhere when their process has ended, found by their _meta. Both run on pool threads, in the name
  // of the task's owner.
  struct Survivors {
    std::function<void(const Identity& owner, JsonObject& row)> refresh;  // status, statusMessage and result as they are now
    std::function<void(const Identity& owner, const JsonObject& row)> cancel;
  };
  // Before serving.
  void set_survivors(Survivors survivors) { survivors_ = std::move(survivors); }

  bool is_local(const std::string& id) const { return local_.contains(id); }
  // Pool thread: the task as it stands, whoever runs it, and whose it is; nothing when there is none.
  struct Found {
    Identity owner;
    JsonObject task;
  };
  Result<std::optional<Found>> find(const std::string& id);

  // The server ends: handlers are told to stop, and clients that the task failed, unless its work outlives the process.
  void stop();

  // The three methods. Answers through the run's own outlet.
  void on_get(std::shared_ptr<Run> request);
  void on_update(std::shared_ptr<Run> request);
  void on_cancel(std::shared_ptr<Run> request);

 private:
  struct Local {
    std::shared_ptr<Run> run;
    JsonObject row;
    Millis kept_until = 0;                // in the store
    bool writing = false, dirty = false;  // one write at a time; what came since follows in one
    // Who waits for the write under way, and for one that begins later.
    std::vector<std::function<void()>> with_this_write = {}, with_the_next = {};
  };

  void change(const std::string& id, std::string_view status, const std::function<void(JsonObject&)>& edit);
  void persist(const std::string& id);
  void written_to_store(const std::string& id, bool kept);
  // What is said of a task here is not taken back elsewhere: other processes see its row.
  void when_kept(const std::string& id, std::function<void()> then);
  void answer_local(const std::string& id, const JsonObject& responses);
  void with_row(std::shared_ptr<Run> request, std::function<void(JsonObject row, bool local)> then);
  void forward(std::shared_ptr<Run> request, const JsonObject& row, JsonObject message);
  void take_message(const JsonObject& message);
  void take_receipt(const std::string& receipt);
  Result<std::optional<JsonObject>> read_row(const std::string& id);
  void take_care();
  void look_after_the_old();

  Executor& executor_;
  Pool& pool_;
  const Clock& clock_;
  StateStore& store_;
  Mailbox& mailbox_;
  OnChange on_change_;
  Survivors survivors_;
  std::map<std::string, Local> local_;
  std::map<std::string, std::shared_ptr<Run>> unread_;  // requests whose message was sent, by receipt
  std::atomic<std::size_t> count_ = 0;                  // of tasks made and not over; pool threads make them
  TimerId care_timer_ = 0;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

// Tells listeners of this process of tasks that another one runs. Their rows are looked at when somebody was woken, which a
// process does with each change of a task; states that followed each other quickly may be told as one. I/O thread only.
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
