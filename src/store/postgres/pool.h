#pragma once

// The connections of one open store: bounded, made when needed, made again by themselves.
//
// A connection that breaks is dropped together with all idle ones (the server was restarted; they are broken, too). Who needs
// one waits, with pauses that grow, until the server is back or patience has run out.

#include "session/commit_meter.h"
#include "store/postgres/connection.h"
#include "store/tables/tables.h"

#include <condition_variable>
#include <mutex>

namespace holdfast::store::postgres {

// What the parts of one open PostgreSQL store share. Set before the store is used, constant afterwards.
struct Context : Rules {
  std::string shown;  // the address for people
  std::string schema;
  std::string secret;
  std::string store_id;
  std::string channel;  // of notifications
  // Why nothing may be written; empty when it may.
  std::string read_only_reason;
  std::shared_ptr<session::CommitMeter> meter;  // null: nobody looks
};

// PostgreSQL allows 100 in all by default; ten nodes fit.
inline constexpr std::size_t kMaxConnections = 8;

class Pool {
 public:
  explicit Pool(SessionSettings settings) : settings_(std::move(settings)) {}

  using Deadline = std::chrono::steady_clock::time_point;
  Deadline deadline() const { return std::chrono::steady_clock::now() + settings_.patience; }

  // Runs function(Connection&) -> Result<T>; again with another connection when this one turns out to be broken. For what
  // may be done twice.
  template <class Function>
  auto with(Function&& function) -> std::invoke_result_t<Function&, Connection&> {
    const Deadline until = deadline();
    for (int attempt = 0;; ++attempt) {
      auto connection = take(until);
      if (!connection) return fail(std::move(connection).error());
      auto outcome = function(**connection);
      const bool again = (*connection)->lost() && !outcome && std::chrono::steady_clock::now() < until;
      give_back(*std::move(connection));
      if (!again) return outcome;
      pause(attempt, until);
    }
  }

  Result<std::unique_ptr<Connection>> take(Deadline until);
  void give_back(std::unique_ptr<Connection> connection);
  // Sleeps longer with each attempt, at most until then.
  static void pause(int attempt, Deadline until);

  const SessionSettings& settings() const { return settings_; }

 private:
  Result<std::unique_ptr<Connection>> connect(Deadline until);

  const SessionSettings settings_;
  std::mutex mutex_;
  std::condition_variable returned_;
  std::vector<std::unique_ptr<Connection>> idle_;
  std::size_t in_use_ = 0;
};

}  // namespace holdfast::store::postgres
