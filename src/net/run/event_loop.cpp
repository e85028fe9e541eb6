#include "net/run/event_loop.h"

#include "base/run/run_guarded.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>

#include <array>
#include <cerrno>

namespace holdfast::net {
namespace {

// Events taken from the kernel at once. Large enough to spread the cost of the call, small enough
// that unwatch(), which looks through the rest of the batch, stays cheap.
constexpr std::size_t kBatch = 128;

}  // namespace

EventLoop::EventLoop() : epoll_(::epoll_create1(EPOLL_CLOEXEC)), wakeup_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  // Edge-triggered: every write to the eventfd wakes us, and nobody has to read the counter back.
  epoll_event event{.events = EPOLLIN | EPOLLET, .data = {.ptr = nullptr}};
  if (!epoll_ || !wakeup_ || ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, wakeup_.get(), &event) != 0) setup_error_ = errno;
}

EventLoop::~EventLoop() = default;

Result<void> EventLoop::usable() const {
  if (setup_error_ != 0) return fail(system_error("event loop", setup_error_));
  return {};
}

void EventLoop::post(Task task) {
  bool was_empty;
  {
    std::lock_guard lock(mutex_);
    was_empty = posted_.empty();
    posted_.push_back(std::move(task));
  }
  // The loop looks at the queue before it sleeps, so its own posts need no system call.
  if (was_empty && !on_loop_thread()) wake();
}

TimerId EventLoop::after(std::chrono::milliseconds delay, Task task) {
  const TimerId timer = ++last_timer_;
  const TimePoint due = std::chrono::steady_clock::now() + delay;
  timer_times_.emplace(timer, due);
  timers_.emplace(std::pair(due, timer), std::move(task));
  return timer;
}

void EventLoop::cancel(TimerId timer) {
  const auto found = timer_times_.find(timer);
  if (found == timer_times_.end()) return;
  timers_.erase(std::pair(found->second, timer));
  timer_times_.erase(found);
}

Result<void> EventLoop::watch(int fd, std::uint32_t events, Watcher* watcher) {
  epoll_event event{.events = events, .data = {.ptr = watcher}};
  if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) != 0) return fail(system_error("watch a descriptor", errno));
  return {};
}

void EventLoop::change(int fd, std::uint32_t events, Watcher* watcher) {
  epoll_event event{.events = events, .data = {.ptr = watcher}};
  ::epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, fd, &event);
}

void EventLoop::unwatch(int fd, Watcher* watcher) {
  ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr);
  for (epoll_event& event : batch_)
    if (event.data.ptr == watcher) event.data.ptr = nullptr;
}

void EventLoop::before_wait(std::function<void()> hook) {
  before_wait_ = std::move(hook);
}

void EventLoop::run() {
  thread_ = std::this_thread::get_id();
  std::array<epoll_event, kBatch> events;
  while (!stopping_) {
    run_posted();
    run_timers();
    if (before_wait_) run_guarded(before_wait_, "net");
    if (stopping_) break;
    const int count = ::epoll_wait(epoll_.get(), events.data(), static_cast<int>(events.size()), wait_budget());
    now_ = std::chrono::steady_clock::now();
    batch_ = std::span(events).first(count > 0 ? static_cast<std::size_t>(count) : 0);
    while (!batch_.empty()) {
      const epoll_event event = batch_.front();
      batch_ = batch_.subspan(1);
      if (event.data.ptr == nullptr) continue;
      const auto deliver = [&] { static_cast<Watcher*>(event.data.ptr)->on_ready(event.events); };
      run_guarded(deliver, "net");
    }
  }
  // Callbacks that the last tasks have posted belong to what was promised; a task that posts itself
  // for ever must not keep us, hence the bound.
  for (int round = 0; round < 16 && run_posted(); ++round) {
  }
  if (before_wait_) run_guarded(before_wait_, "net");
  thread_ = std::thread::id();
}

void EventLoop::stop() {
  stopping_ = true;
  wake();
}

bool EventLoop::on_loop_thread() const {
  return thread_.load(std::memory_order_relaxed) == std::this_thread::get_id();
}

bool EventLoop::run_posted() {
  {
    std::lock_guard lock(mutex_);
    running_.swap(posted_);
  }
  if (running_.empty()) return false;
  for (Task& task : running_) run_guarded(task, "net");
  running_.clear();
  return true;
}

void EventLoop::run_timers() {
  if (timers_.empty()) return;
  const TimePoint now = std::chrono::steady_clock::now();
  while (!timers_.empty() && timers_.begin()->first.first <= now) {
    auto node = timers_.extract(timers_.begin());
    timer_times_.erase(node.key().second);
    run_guarded(node.mapped(), "net");
  }
}

int EventLoop::wait_budget() const {
  {
    std::lock_guard lock(mutex_);
    if (!posted_.empty()) return 0;
  }
  if (timers_.empty()) return -1;
  const auto left = timers_.begin()->first.first - std::chrono::steady_clock::now();
  if (left <= std::chrono::nanoseconds(0)) return 0;
  const auto millis = std::chrono::ceil<std::chrono::milliseconds>(left).count();
  return static_cast<int>(std::min<std::int64_t>(millis, 1'000'000));
}

void EventLoop::wake() {
  const std::uint64_t one = 1;
  // Fails only when the counter is full, and then the loop has been woken already.
  [[maybe_unused]] const auto written = ::write(wakeup_.get(), &one, sizeof one);
}

}  // namespace holdfast::net
