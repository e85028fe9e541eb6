#pragma once

// Legacy HTTP sessions. Their ids live in the state store, so a restart of the server, or a request that
// reaches another process, does not break a connected client (reasoning-sessions D10). I/O thread only;
// callbacks run there too.

#include "mcp/connection.h"
#include "mcp/server.h"
#include "mcp/strand.h"

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>

namespace holdfast::mcp {

class LegacySessions {
 public:
  explicit LegacySessions(Server& server) : server_(server) {}
  ~LegacySessions() { end_all(); }

  using Opened = std::function<void(Result<std::shared_ptr<Connection>>)>;

  // A new session, durable before the callback runs.
  void open(Server::Handshake& handshake, Opened opened);
  // not_found when there is no such session, or it belongs to somebody else (another principal, or another person of a team).
  // What this token may do counts from here on: what was allowed at the handshake is forgotten. One that was ended by another
  // process is noticed after kSessionRecheck.
  void find(const std::string& id, const Identity& identity, Opened found);
  // Cancels its requests, ends its stand-alone stream and forgets it.
  void close(const std::string& id, std::function<void(Result<void>)> closed);

  // Cancels what still runs, and forgets everything that is in memory.
  void end_all();

  std::size_t cached() const { return cache_.size(); }

 private:
  struct Cached {
    std::shared_ptr<Connection> connection;
    std::chrono::steady_clock::time_point checked;  // against the store
    std::chrono::steady_clock::time_point touched;  // its life prolonged
    std::shared_ptr<Strand> writes;                 // in order: nothing is written after the end of a session
  };
  std::shared_ptr<Connection> remember(const std::string& id, std::shared_ptr<const Caller> caller);
  std::shared_ptr<Connection> read(const std::string& id, const JsonObject& row);
  void recheck(const std::string& id, Cached& cached, Opened found);
  void save(const std::string& id, std::function<void(Result<void>)> saved);
  void forget(const std::string& id);
  void make_room();
  Millis expiry() const;

  Server& server_;
  std::unordered_map<std::string, Cached> cache_;
};

}  // namespace holdfast::mcp
