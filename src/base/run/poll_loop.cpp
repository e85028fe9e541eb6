#include "base/run/poll_loop.h"

#include "base/files/fd.h"
#include "base/run/run_guarded.h"

#include <fmt/format.h>

#include <poll.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <climits>
#include <map>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace holdfast {
namespace {

using SteadyTime = std::chrono::steady_clock::time_point;
using OnReadable = std::move_only_function<void()>;

// Without an eventfd (no descriptors left) the loop looks for posted tasks this often.
constexpr int kBlindWaitMillis = 10;

// Longer delays mean "never", and must not overflow the clock.
constexpr std::chrono::milliseconds kLongestDelay = std::chrono::years(10);

}  // namespace

struct PollLoop::State {
  Fd wake{::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)};
  std::atomic<bool> stopping = false;

  std::mutex mutex;
  std::vector<Task> posted;  // under the mutex; everything below belongs to the loop's thread

  TimerId last_timer = 0;
  std::map<std::pair<SteadyTime, TimerId>, Task> timers;  // the id keeps timers of one instant in order
  std::unordered_map<TimerId, SteadyTime> due_times;

  std::map<int, std::shared_ptr<OnReadable>> watches;
  std::vector<pollfd> polled;  // rebuilt each turn; kept for its memory

  // Async-signal-safe.
  void wake_up() {
    const std::uint64_t one = 1;
    // Fails only when the counter is full, and then the loop is awake already.
    [[maybe_unused]] const ssize_t written = ::write(wake.get(), &one, sizeof one);
  }

  bool has_posted() {
    const std::lock_guard lock(mutex);
    return !posted.empty();
  }

  // Only what was there at the beginning: a task that posts itself must not starve the descriptors.
  void run_posted() {
    std::vector<Task> batch;
    {
      const std::lock_guard lock(mutex);
      batch.swap(posted);
    }
    for (Task& task : batch) {
      run_guarded(task, "base");
      task = nullptr;
    }
  }

  void run_due_timers() {
    const SteadyTime now = std::chrono::steady_clock::now();
    while (!timers.empty() && timers.begin()->first.first <= now) {
      auto timer = timers.extract(timers.begin());
      due_times.erase(timer.key().second);
      run_guarded(timer.mapped(), "base");
    }
  }

  int wait_millis(bool may_wait) {
    if (!may_wait || stopping || has_posted()) return 0;
    int longest = wake ? -1 : kBlindWaitMillis;
    if (!timers.empty()) {
      const auto left = timers.begin()->first.first - std::chrono::steady_clock::now();
      // Rounded up: waking a little early would mean turning again for nothing.
      const auto millis = std::chrono::ceil<std::chrono::milliseconds>(left).count();
      const int until_timer = static_cast<int>(std::clamp<decltype(millis)>(millis, 0, INT_MAX));
      longest = longest < 0 ? until_timer : std::min(longest, until_timer);
    }
    return longest;
  }

  void turn(bool may_wait) {
    polled.clear();
    polled.push_back({wake.get(), POLLIN, 0});
    for (const auto& [fd, on_readable] : watches) polled.push_back({fd, POLLIN, 0});
    const int ready = ::poll(polled.data(), polled.size(), wait_millis(may_wait));
    if (ready > 0) {
      if (polled[0].revents != 0) {
        std::uint64_t count = 0;
        [[maybe_unused]] const ssize_t got = ::read(wake.get(), &count, sizeof count);
      }
      for (std::size_t i = 1; i < polled.size(); ++i) call_watch(polled[i].fd, polled[i].revents);
    }
    run_due_timers();
    run_posted();
  }

  void call_watch(int fd, short events) {
    if (events == 0) return;
    const auto found = watches.find(fd);
    if (found == watches.end()) return;  // an earlier callback of this turn unwatched it
    if (events & POLLNVAL) {
      log(LogLevel::error, "base", fmt::format("descriptor {} was closed while watched", fd));
      watches.erase(found);
      return;
    }
    const std::shared_ptr<OnReadable> held = found->second;  // it may unwatch itself
    run_guarded(*held, "base");
  }
};

PollLoop::PollLoop() : state_(std::make_unique<State>()) {}
PollLoop::~PollLoop() = default;

void PollLoop::post(Task task) {
  bool was_empty = false;
  {
    const std::lock_guard lock(state_->mutex);
    was_empty = state_->posted.empty();
    state_->posted.push_back(std::move(task));
  }
  if (was_empty) state_->wake_up();
}

TimerId PollLoop::after(std::chrono::milliseconds delay, Task task) {
  const TimerId id = ++state_->last_timer;
  const SteadyTime due = std::chrono::steady_clock::now() + std::min(delay, kLongestDelay);
  state_->timers.emplace(std::pair(due, id), std::move(task));
  state_->due_times.emplace(id, due);
  return id;
}

void PollLoop::cancel(TimerId timer) {
  const auto found = state_->due_times.find(timer);
  if (found == state_->due_times.end()) return;
  state_->timers.erase({found->second, timer});
  state_->due_times.erase(found);
}

void PollLoop::watch(int fd, std::move_only_function<void()> on_readable) {
  state_->watches[fd] = std::make_shared<OnReadable>(std::move(on_readable));
}

void PollLoop::unwatch(int fd) {
  state_->watches.erase(fd);
}

void PollLoop::run() {
  while (!state_->stopping) state_->turn(true);
  state_->run_posted();
  state_->stopping = false;  // so that the loop can be run again
}

void PollLoop::stop() {
  state_->stopping = true;
  state_->wake_up();
}

void PollLoop::run_ready() {
  do {
    state_->turn(false);
  } while (state_->has_posted());
}

}  // namespace holdfast
