#pragma once

// Legacy HTTP sessions. Their ids live in the state store, so a restart of the server, or a request that
// reaches another process, does not break a connected client (reasoning-sessions D10). I/O thread only;
// callbacks run there too.

#include "mcp/server/connection.h"
#include "mcp/server/server.h"
#include "mcp/transport/strand.h"

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

namespace holdfast::mcp {

// A session is a value of this area under its id, from the handshake to its end.
inline constexpr std::string_view kSessionArea = "mcp.session";

class LegacySessions {
 public:
  explicit LegacySessions(Server& server);
  ~LegacySessions() {
    *alive_ = false;
    end_all();
  }

  using Opened = std::function<void(Result<std::shared_ptr<Connection>>)>;

  // A new session, durable before the callback runs.
  void open(Server::Handshake& handshake, Opened opened);
  // not_found when there is no such session, or it belongs to somebody else (another principal, or another person of a team).
  // What this token may do counts from here on: what was allowed at the handshake is forgotten. Where the store is shared its
  // row is read each time: another process may have changed or ended it.
  void find(const std::string& id, const Identity& identity, Opened found);
  // Cancels its requests, ends its stand-alone stream and forgets it.
  void close(const std::string& id, std::function<void(Result<void>)> closed);

  // Only here, and only if this process knows it: nullptr otherwise.
  std::shared_ptr<Connection> known(const std::string& id) const;
  // This process has the stand-alone stream of the session from now on; another that has one ends it. Its client may hear of
  // the stream when `then` runs: a stream it opens after that, anywhere, is the newer one.
  void take_stream(const Connection& connection, Task then);

  // Whose stand-alone stream is open here is in use, however silent: its life is prolonged. Runs by itself.
  void prolong_listening();

  // Cancels what still runs, and forgets everything that is in memory.
  void end_all();

  std::size_t cached() const { return cache_.size(); }

 private:
  struct Cached {
    std::shared_ptr<Connection> connection;
    Millis touched = 0;              // its life prolonged
    std::shared_ptr<Strand> writes;  // in order: nothing is written after the end of a session
    std::uint64_t changes = 0;       // made here: a row that was read before one is out of date
  };
  std::shared_ptr<Connection> remember(const std::string& id, std::shared_ptr<const Caller> caller);
  std::shared_ptr<Connection> read(const std::string& id, const JsonObject& row);
  void recheck(const std::string& id, Cached& cached, Opened found);
  bool touch(const std::string& id, Cached& cached);  // false: it was a moment ago
  void save(const std::string& id, Connection::Change change, std::function<void(Result<void>)> saved);
  void take_message(const JsonObject& message);
  void yield_stream(const std::string& id, std::function<void()> hang_up);
  void keep_stream(const std::string& id);
  void attend();
  void forget(const std::string& id);
  void make_room();
  Millis expiry() const;

  Server& server_;
  std::unordered_map<std::string, Cached> cache_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);  // asked by timers that cannot be cancelled
};

}  // namespace holdfast::mcp
