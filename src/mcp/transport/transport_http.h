#pragma once

// MCP over streamable HTTP: one endpoint for both eras.
//
// Whoever calls handle() has already checked Host, Origin and the token. Which era a request belongs to is
// decided once, from its body (mcp-protocol §4); the order of the checks is that of §5. I/O thread only.

#include "mcp/server/server.h"
#include "mcp/transport/event_stream.h"
#include "mcp/transport/legacy_sessions.h"
#include "net/http/http_server.h"

#include <functional>
#include <memory>
#include <string>
#include <unordered_map>

namespace holdfast::mcp {

class HttpTransport {
 public:
  explicit HttpTransport(Server& server);
  ~HttpTransport();

  void handle(std::shared_ptr<net::HttpExchange> exchange, const Identity& identity);

  // Before serving: what WWW-Authenticate says to a caller that lacks a scope. By default nothing but its name.
  void challenge_with(std::function<std::string(Scope)> challenge) { challenge_ = std::move(challenge); }

  std::size_t cached_sessions() const { return sessions_.cached(); }

 private:
  class ModernOutlet;
  class LegacyOutlet;
  using Exchange = std::shared_ptr<net::HttpExchange>;

  void on_post(const Exchange& exchange, const Identity& identity);
  void on_get(const Exchange& exchange, const Identity& identity);
  void on_delete(const Exchange& exchange, const Identity& identity);

  void modern_request(const Exchange& exchange, const Identity& identity, Message message);
  void initialize(const Exchange& exchange, const Identity& identity, const Message& message);
  void legacy_message(const Exchange& exchange, const Identity& identity, Message message);
  void legacy_batch(const Exchange& exchange, const Identity& identity, JsonArray messages);
  void take_response(const Message& response, const std::shared_ptr<Connection>& connection,
                     std::function<void(Result<void>)> taken);
  // Answers 403 and returns true when the caller lacks the scope.
  bool refuses(const Exchange& exchange, const Identity& identity, const Json& request_id, Scope needed) const;
  // Runs with the session the request names, or answers 400 / 404 / 503.
  void with_session(const Exchange& exchange, const Identity& identity, const Json& request_id,
                    std::function<void(std::shared_ptr<Connection>)> then);
  void open_standalone(const Exchange& exchange, const std::shared_ptr<Connection>& connection);
  // Runs when the session's stand-alone stream is to be here, unless the client or the session has gone by then.
  void take_standalone(const Exchange& exchange, const std::shared_ptr<Connection>& connection, Task then);
  // The stream that takes the session's unrelated messages from now on.
  std::shared_ptr<EventStream> bind_standalone(const std::shared_ptr<Connection>& connection, std::string id,
                                               std::uint64_t first);
  void resume(const Exchange& exchange, const std::shared_ptr<Connection>& connection, EventId last_seen);
  void resume_standalone(const Exchange& exchange, const std::shared_ptr<Connection>& connection, EventId last_seen);
  Millis row_expiry() const;  // of the row of a stream that is written now
  void resume_from_store(const Exchange& exchange, const std::shared_ptr<Connection>& connection, EventId last_seen, bool begun);

  void track(const std::shared_ptr<EventStream>& stream);

  static constexpr std::size_t kFirstSweep = 64;
  Server& server_;
  std::function<std::string(Scope)> challenge_;
  std::unordered_map<std::string, std::weak_ptr<EventStream>> streams_;  // live ones, by EventStream::key
  std::size_t sweep_at_ = kFirstSweep;  // table size at which entries of dead streams are removed
  LegacySessions sessions_;
};

}  // namespace holdfast::mcp
