#include "tools/runner/run_call.h"

#include "base/run/log.h"
#include "mcp/server/tasks.h"

#include <fmt/format.h>

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

namespace holdfast::tools {

namespace {

using Time = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kLookAtClient{200};  // whether the client gave up: nobody tells us
constexpr std::chrono::seconds kLongestSilence{15};      // hosts end calls of which they hear nothing for a minute

// What the run says on its threads and the call reads on its own.
class Said {
 public:
  void add(std::string message) {
    const std::lock_guard lock(mutex_);
    messages_.push_back(std::move(message));
    changed_.notify_all();
  }
  void end() {
    const std::lock_guard lock(mutex_);
    over_ = true;
    changed_.notify_all();
  }
  // What was said since, at once or after a while; over: nothing follows.
  std::deque<std::string> take(bool& over) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, kLookAtClient, [this] { return over_ || !messages_.empty(); });
    over = over_;
    return std::exchange(messages_, {});
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::string> messages_;
  bool over_ = false;
};

// Progress to whoever waits, strictly increasing.
class Telling {
 public:
  Telling(mcp::Call& call, bool is_task) : call_(call), is_task_(is_task) {}
  void tell(const std::string& message) {
    told_ = Time::now();
    last_ = message;
    say(message);
  }
  void tell_silence() {
    if (Time::now() - told_ < kLongestSilence) return;
    told_ = Time::now();
    say(last_ + " …");
  }

 private:
  void say(const std::string& message) {
    if (is_task_)
      call_.task_status(message);
    else
      call_.progress(++steps_, {}, message);
  }

  mcp::Call& call_;
  const bool is_task_;
  double steps_ = 0;
  std::string last_;
  Time::time_point told_ = Time::now();
};

}  // namespace

std::string how_to_go_on(std::string_view run) {
  return fmt::format("autonomous_persistent_session with run_id {0}, or holdfast run --resume {0}, goes on with it", run);
}

Result<runner::RunReport> work_on_run(mcp::Call& call, session::Store& store, runner::Runs& runs, const std::string& id,
                                      const std::stop_token& stopping) {
  HF_TRY(const bool is_task,
         call.become_task(fmt::format("{}: started", id), JsonObject{{kTaskOfRun, id}, {mcp::kWhenStopped, how_to_go_on(id)}}));
  Said said;
  Result<runner::RunReport> report;
  std::stop_source interrupt;
  const std::stop_callback by_process(stopping, [&] { interrupt.request_stop(); });
  const std::jthread worker([&] {
    report = runs.work(
        id,
        [&](const runner::RunProgress& progress) {
          said.add(fmt::format("{}/{} {}", progress.task, progress.tasks, progress.message));
        },
        interrupt.get_token());
    said.end();
  });
  Telling telling(call, is_task);
  bool over = false, cancelled = false;
  while (!over) {
    for (const std::string& message : said.take(over)) telling.tell(message);
    telling.tell_silence();
    if (!call.cancelled() || cancelled || stopping.stop_requested()) continue;
    cancelled = true;
    if (auto done = runner::cancel_run(store, id, call.caller().principal); !done)
      log(LogLevel::warn, "tools", fmt::format("run {} was not cancelled: {}", id, done.error().message));
  }
  return report;
}

}  // namespace holdfast::tools
