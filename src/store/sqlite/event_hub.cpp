#include "store/sqlite/event_hub.h"

#include "base/log.h"
#include "session/limits.h"
#include "store/sqlite/event_rows.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>

namespace holdfast::store {

using session::Event;

class EventHub::Queue final : public session::Subscription {
 public:
  Queue(EventHub& hub, session::SubscribeOptions options, std::int64_t from)
      : hub_(hub), options_(std::move(options)), from_(from) {}
  ~Queue() override { hub_.leave(*this); }

  Taken take() override {
    const std::lock_guard lock(mutex_);
    return std::exchange(waiting_, {});
  }

  void offer(const std::vector<Event>& events) {
    bool wake = false;
    {
      const std::lock_guard lock(mutex_);
      const bool was_empty = waiting_.events.empty() && !waiting_.lost;
      for (const Event& event : events) {
        if (event.sequence <= from_ || (!options_.session.empty() && event.session != options_.session)) continue;
        if (waiting_.events.size() >= session::kEventQueueLength) {
          // The oldest go first: a page that has fallen behind wants the present.
          waiting_.events.clear();
          waiting_.lost = true;
        }
        waiting_.events.push_back(event);
        wake = was_empty;
      }
    }
    if (wake && options_.on_ready) options_.on_ready();
  }

 private:
  EventHub& hub_;
  const session::SubscribeOptions options_;
  const std::int64_t from_;
  std::mutex mutex_;
  Taken waiting_;
};

EventHub::~EventHub() {
  if (!thread_.joinable()) return;
  static_cast<void>(::eventfd_write(stop_.get(), 1));
  thread_.join();
}

Result<std::unique_ptr<session::Subscription>> EventHub::subscribe(session::SubscribeOptions options) {
  const std::lock_guard life(life_mutex_);
  HF_CHECK(start());
  // Read after the watch began: what is committed later is announced.
  HF_TRY(const std::int64_t last, readers_.with([](Db& db) { return read_last_sequence(db); }));
  auto queue = std::make_unique<Queue>(*this, std::move(options), last);
  const std::lock_guard lock(mutex_);
  if (queues_.empty()) delivered_ = last;
  queues_.insert(queue.get());
  return queue;
}

void EventHub::leave(Queue& queue) {
  const std::lock_guard life(life_mutex_);
  {
    const std::lock_guard lock(mutex_);
    queues_.erase(&queue);
    if (!queues_.empty()) return;
  }
  if (!thread_.joinable()) return;
  static_cast<void>(::eventfd_write(stop_.get(), 1));
  thread_.join();
}

Result<void> EventHub::start() {
  if (thread_.joinable()) return {};
  Fd notices(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
  if (!notices) return fail(system_error("inotify_init1", errno));
  const std::string folder = std::filesystem::path(context_.path).parent_path().string();
  if (::inotify_add_watch(notices.get(), folder.empty() ? "." : folder.c_str(), IN_ATTRIB) < 0) {
    return fail(system_error("watching " + folder, errno));
  }
  stop_ = Fd(::eventfd(0, EFD_CLOEXEC));
  if (!stop_) return fail(system_error("eventfd", errno));
  thread_ = std::thread([this, notices = std::move(notices)] { watch(notices, stop_); });
  return {};
}

void EventHub::watch(const Fd& notices, const Fd& stop) {
  const std::string log_name = std::filesystem::path(context_.path).filename().string() + "-wal";
  alignas(inotify_event) std::array<char, 8192> buffer{};
  while (true) {
    std::array<pollfd, 2> fds{{{notices.get(), POLLIN, 0}, {stop.get(), POLLIN, 0}}};
    if (::poll(fds.data(), fds.size(), -1) < 0 && errno != EINTR) return;
    if (fds[1].revents != 0) return;
    bool news = false;
    while (true) {
      const ssize_t size = ::read(notices.get(), buffer.data(), buffer.size());
      if (size <= 0) break;
      for (ssize_t at = 0; at < size;) {
        inotify_event event{};
        std::memcpy(&event, buffer.data() + at, sizeof event);
        const char* name = buffer.data() + at + sizeof event;
        if ((event.mask & IN_Q_OVERFLOW) != 0 || (event.len > 0 && log_name == name)) news = true;
        at += static_cast<ssize_t>(sizeof event + event.len);
      }
    }
    if (news) deliver_news();
  }
}

void EventHub::deliver_news() {
  while (true) {
    std::int64_t from = 0;
    {
      const std::lock_guard lock(mutex_);
      from = delivered_;
    }
    auto events = readers_.with([&](Db& db) { return read_events_after(db, from, session::kEventQueueLength); });
    if (!events) {
      log(LogLevel::warn, "store", "cannot read new events: " + events.error().message);
      return;
    }
    if (events->empty()) return;
    const std::lock_guard lock(mutex_);
    delivered_ = events->back().sequence;
    for (Queue* queue : queues_) queue->offer(*events);
  }
}

void EventHub::announce_commit() const {
  const std::string log_file = context_.path + "-wal";
  static_cast<void>(::utimensat(AT_FDCWD, log_file.c_str(), nullptr, 0));
}

}  // namespace holdfast::store
