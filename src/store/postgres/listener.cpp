#include "store/postgres/listener.h"

#include "base/run/log.h"

#include <fmt/format.h>

#include <poll.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>

namespace holdfast::store::postgres {

using session::Event;

namespace {

// Every commit of every node would wake every other node and make it ask what there is. Less than people notice.
constexpr std::chrono::milliseconds kPace{5};

}  // namespace

Result<void> Listener::begin() {
  HF_TRY(auto connection, Connection::open(pool_.settings()));
  HF_CHECK(connection->ask(fmt::format("LISTEN {}", quoted_name(context_.channel))));
  connection_ = std::move(connection);
  return {};
}

Result<EventSource::Heard> Listener::take_notifications() {
  const Libpq& pq = connection_->library();
  Heard heard;
  const bool consumed = pq.consumeInput(connection_->handle()) == 1;
  while (PGnotify* each = consumed ? pq.notifies(connection_->handle()) : nullptr) {
    (std::string_view(each->extra) == kWakePayload ? heard.wake : heard.events) = true;
    pq.freemem(each);
  }
  if (!consumed || pq.status(connection_->handle()) != CONNECTION_OK)
    return fail(ErrorKind::unavailable, "the connection that listens for events was lost");
  return heard;
}

bool Listener::keep_pace(const Fd& stop) {
  const auto since = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - told_);
  bool go_on = true;
  if (since < kPace) {
    pollfd fd{stop.get(), POLLIN, 0};
    go_on = ::poll(&fd, 1, static_cast<int>((kPace - since).count())) <= 0;
  }
  told_ = std::chrono::steady_clock::now();
  return go_on;
}

EventSource::Heard Listener::wait(const Fd& stop) {
  constexpr int kFirstPause = 50, kLongestPause = 2000;
  int pause = kFirstPause;
  while (true) {
    const int socket = connection_ ? connection_->library().socket(connection_->handle()) : -1;
    std::array<pollfd, 2> fds{{{stop.get(), POLLIN, 0}, {socket, POLLIN, 0}}};
    const int ready = ::poll(fds.data(), fds.size(), connection_ ? -1 : pause);
    if (ready < 0 && errno != EINTR) return {.stop = true, .events = false, .wake = false};
    if (fds[0].revents != 0) return {.stop = true, .events = false, .wake = false};
    if (connection_) {
      if (fds[1].revents == 0) continue;
      auto heard = take_notifications();
      if (heard && !heard->events && !heard->wake) continue;
      if (heard && heard->wake) return *heard;
      if (heard && !keep_pace(stop)) return {.stop = true, .events = false, .wake = false};
      // A connection that broke meanwhile has no socket any more that could be waited for.
      if (heard) heard = take_notifications();
      if (heard) return Heard{.stop = false, .events = true, .wake = heard->wake};
      connection_.reset();
      log(LogLevel::warn, "store", "the connection that listens for events was lost; it is made again");
      continue;
    }
    if (begin()) return {.stop = false, .events = true, .wake = true};  // something may have been missed
    pause = std::min(2 * pause, kLongestPause);
  }
}

Result<std::vector<Event>> Listener::events_after(std::int64_t sequence, std::size_t limit) {
  return pool_.with([&](Connection& connection) { return read_events_after(connection, sequence, limit); });
}

Result<std::int64_t> Listener::last_sequence() {
  return pool_.with([](Connection& connection) { return read_last_sequence(connection); });
}

}  // namespace holdfast::store::postgres
