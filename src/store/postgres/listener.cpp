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
using session::EventType;

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
  return pool_.with([&](Connection& connection) -> Result<std::vector<Event>> {
    HF_TRY(
        const Answer rows,
        connection.ask("(SELECT e.sequence, 0::int8, s.id, s.kind, e.seq, s.rev FROM (SELECT sequence, session, seq FROM entries "
                       "WHERE sequence > ? ORDER BY sequence LIMIT ?) AS e JOIN sessions AS s ON s.key = e.session) UNION ALL "
                       "(SELECT changed, 1, id, kind, 0, rev FROM sessions WHERE changed > ? ORDER BY changed LIMIT ?) UNION ALL "
                       "(SELECT changed, 2, id, kind, 0, 0 FROM tombstones WHERE changed > ? ORDER BY changed LIMIT ?) "
                       "ORDER BY 1 LIMIT ?",
                       {sequence, limit, sequence, limit, sequence, limit, limit}));
    std::vector<Event> events;
    for (int i = 0; i < rows.size(); ++i) {
      const Row row = rows[i];
      events.push_back({row.integer(0), static_cast<EventType>(row.integer(1)), std::string(row.text(2)),
                        std::string(row.text(3)), row.integer(4), row.integer(5)});
    }
    return events;
  });
}

Result<std::int64_t> Listener::last_sequence() {
  return pool_.with([](Connection& connection) -> Result<std::int64_t> {
    HF_TRY(const Answer rows,
           connection.ask("SELECT greatest(0::int8, (SELECT max(sequence) FROM entries), (SELECT max(changed) FROM "
                          "sessions), (SELECT max(changed) FROM tombstones))"));
    return rows[0].integer(0);
  });
}

}  // namespace holdfast::store::postgres
