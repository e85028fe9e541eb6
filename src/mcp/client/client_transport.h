#pragma once

// The way to a server: messages out, messages in. The client (client.h) knows nothing more of pipes and HTTP.
//
// A transport is one connection: opened once, lost or closed once, then thrown away; for the next connection the
// client makes another one. Executor thread only, in both directions; the listener is never called from inside a
// call to the transport.

#include "base/json/json.h"
#include "base/run/executor.h"
#include "mcp/wire/rpc.h"
#include "mcp/wire/versions.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace holdfast::mcp {

// Ids of our requests are numbers from 1, unique for the life of a client.
using RequestId = std::int64_t;

struct Outgoing {
  std::string text;                                          // the message
  std::string method;                                        // empty: an answer to a request of the server
  RequestId id = 0;                                          // 0: not a request
  std::vector<std::pair<std::string, std::string>> headers;  // what HTTP adds; pipes ignore it
};

// Why one request will not be answered although the connection goes on (HTTP).
struct Undelivered {
  Error error;
  bool reached = true;  // false: it certainly was not executed
  bool again = false;   // it is only the connection that has ended: the same request may be sent on the next one
  int http_status = 0;  // 0: there was no answer at all, or we had to give up after it
};

class ClientTransport {
 public:
  class Listener {
   public:
    // A JSON value that came in; whether it is a message is for the listener to find out. http_status: of the
    // answer that brought it, 0 on pipes.
    virtual void on_message(Json value, int http_status) = 0;
    virtual void on_undelivered(RequestId id, Undelivered why) = 0;
    // The connection is gone, and with it every answer that has not come. Once; nothing follows.
    virtual void on_lost(Error why) = 0;

   protected:
    ~Listener() = default;
  };

  virtual ~ClientTransport() = default;

  // The listener outlives the transport, or its close().
  virtual Result<void> open(Listener& listener) = 0;
  // Keeps the order on pipes; over HTTP each message is on its own, except that nothing overtakes the end of the
  // handshake. Errors: unavailable (closed, or the server does not read).
  virtual Result<void> send(Outgoing message) = 0;
  // Nobody waits for this answer any more. Where that is how the era cancels, the server learns it.
  virtual void abandon(RequestId) {}
  // The handshake is over (or the era known).
  virtual void agreed(Version) {}
  // Says goodbye and ends, within seconds; the listener hears nothing more. done runs once it is over.
  virtual void close(Task done) = 0;

  virtual bool is_http() const { return false; }
  // Somebody is being asked whether we may: it is not the server that is slow.
  virtual bool awaits_permission() const { return false; }
  // What the server said beside the protocol, at its end: stderr of a child.
  virtual std::string last_words() const { return {}; }
  // Lines that were no messages.
  virtual std::uint64_t garbage() const { return 0; }
};

// Makes the transport of the next connection. Errors: what is wrong with the server's definition.
using TransportMaker = std::function<Result<std::unique_ptr<ClientTransport>>()>;

}  // namespace holdfast::mcp
