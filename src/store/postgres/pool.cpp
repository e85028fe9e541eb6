#include "store/postgres/pool.h"

#include "base/run/backoff.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

namespace holdfast::store::postgres {

void Pool::pause(int attempt, Deadline until) {
  constexpr std::chrono::milliseconds kFirst{10}, kLongest{500};
  const auto wanted = doubled(kFirst, static_cast<std::size_t>(attempt), kLongest);
  std::this_thread::sleep_until(std::min(until, std::chrono::steady_clock::now() + wanted));
}

Result<std::unique_ptr<Connection>> Pool::connect(Deadline until) {
  for (int attempt = 0;; ++attempt) {
    auto connection = Connection::open(settings_);
    if (connection || connection.error().kind != ErrorKind::unavailable || std::chrono::steady_clock::now() >= until) {
      return connection;
    }
    pause(attempt, until);
  }
}

Result<std::unique_ptr<Connection>> Pool::take(Deadline until) {
  {
    std::unique_lock lock(mutex_);
    if (!returned_.wait_until(lock, until, [&] { return in_use_ < kMaxConnections; })) {
      return fail(ErrorKind::unavailable, fmt::format("all {} connections to the database are busy", kMaxConnections),
                  "try again; if this goes on, the database is too slow for the load");
    }
    ++in_use_;
    if (!idle_.empty()) {
      auto connection = std::move(idle_.back());
      idle_.pop_back();
      return connection;
    }
  }
  auto fresh = connect(until);
  if (!fresh) {
    const std::lock_guard lock(mutex_);
    --in_use_;
    returned_.notify_one();
  }
  return fresh;
}

void Pool::give_back(std::unique_ptr<Connection> connection) {
  std::vector<std::unique_ptr<Connection>> broken;
  {
    const std::lock_guard lock(mutex_);
    --in_use_;
    if (connection->lost()) {
      broken.swap(idle_);
    } else {
      idle_.push_back(std::move(connection));
    }
    returned_.notify_one();
  }
}

}  // namespace holdfast::store::postgres
