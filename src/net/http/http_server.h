#pragma once

// The HTTP/1.1 server: connections, framing, limits and time-outs. It knows nothing of MCP.
//
// One thread runs it (run()) and owns everything here; handlers are called on that thread and must
// not block. An exchange may be kept and answered later, from the same thread. Idle connections and
// idle streams hold no buffers, so thousands of them are cheap.
//
// A handler is called when the header of a request has come, and judges by it alone: the body is read only of
// a client that was admitted. Until then a client is a stranger, and costs the little that its header
// takes: strangers are few at a time, they wait for a short while only, and when there are too many the
// one that came first has to go, so that somebody who is known always gets in.

#include "base/result.h"
#include "base/run/executor.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace holdfast::net {

struct HttpLimits {
  std::size_t max_header_bytes = 32 * 1024;
  std::size_t max_body_bytes = 16 * 1024 * 1024;
  std::size_t max_bodies_bytes = 64 * 1024 * 1024;   // of all bodies on their way in; whose would be more gets 503
  std::size_t max_connections = 10'000;              // further ones get 503 and are closed
  std::size_t max_strangers = 1'000;                 // of these, nobody was admitted on; each may hold a header
  std::size_t max_queued_bytes = 4 * 1024 * 1024;    // unsent bytes of one stream; more closes it
  std::chrono::milliseconds header_timeout{10'000};  // from the first byte to the end of the header
  std::chrono::milliseconds body_timeout{60'000};
  std::chrono::milliseconds idle_timeout{300'000};      // keep-alive without a request
  std::chrono::milliseconds stranger_timeout{10'000};   // the same for a stranger, when that is shorter
  std::chrono::milliseconds write_timeout{30'000};      // a client that does not read
  std::chrono::milliseconds stream_keep_alive{25'000};  // ": keep-alive" on a silent SSE stream
};

using HttpHeaders = std::vector<std::pair<std::string, std::string>>;

struct HttpRequest {
  std::string method;
  std::string target;  // as sent
  std::string path;    // target without the query; percent-encoding kept
  std::string query;
  HttpHeaders headers;
  std::string body;  // once the client was admitted
  std::string peer;  // "127.0.0.1:50123"

  // First header of that name, matched without case; surrounding blanks are already stripped.
  const std::string* header(std::string_view name) const;
};

struct HttpResponse {
  int status = 200;
  HttpHeaders headers;  // Content-Length, Date and Connection are added
  std::string body;
};

// One request and its answer. Exactly one of respond() or start_stream() is called, once.
// All calls on the server's thread; calls after the client has gone are ignored. An exchange that is
// let go of (on any thread) without an answer is answered with 500; a stream without end() is cut off.
class HttpExchange {
 public:
  virtual ~HttpExchange() = default;
  virtual HttpRequest& request() = 0;

  // Who asks is known: its connection is no stranger's from now on, and the body is read. `then` runs when all of that is in
  // request(), from here when there is none or when the client was admitted before; never when the client goes away first.
  // An answer to a request whose body was not read ends the connection, unless the body is here by chance.
  virtual void admit(std::function<void()> then) = 0;
  // The user whose process holds the other end of the connection, as the kernel knows it. Errors: not_found (not a process of
  // this machine, or it has gone), io (the kernel does not say).
  virtual Result<std::uint32_t> peer_user() const = 0;

  virtual void respond(HttpResponse response) = 0;

  // An answer of unknown length (chunked). Then any number of write(), then end().
  virtual void start_stream(int status, HttpHeaders headers) = 0;
  virtual void write(std::string bytes) = 0;
  virtual void end() = 0;

  // Called once when the client goes away (or the stream is dropped) before the answer was
  // complete. Not called after respond() or end(). Never called from inside write() and its like,
  // but at once from here when the client has gone already.
  virtual void on_gone(std::function<void()> callback) = 0;
  virtual bool gone() const = 0;
};

class HttpServer {
 public:
  using Handler = std::function<void(std::shared_ptr<HttpExchange>)>;

  HttpServer(HttpLimits limits, Handler handler);
  ~HttpServer();

  // Binds and listens; port 0 takes a free one. Returns the port. Errors: conflict (in use), refused,
  // invalid (no such host), io. May be called again for a further address.
  Result<std::uint16_t> listen(const std::string& host, std::uint16_t port);

  void run();  // until drained or stopped

  // Any thread. Stops accepting; idle connections are closed, those that are new get a moment for the request they were made
  // for; run() returns when the rest is done or after the deadline. on_drain (if any) is called first, on the server's
  // thread, so that open streams can be ended in their own way; set it before run(). A second
  // drain() may only bring the end nearer.
  void drain(std::chrono::milliseconds deadline);
  void on_drain(std::function<void()> callback);
  void stop();  // any thread: closes everything at once

  Executor& executor();

  // Before run(): told of every answer on the server's thread, when its status is known: a body is sent behind it, a stream goes
  // on. `time` is from the end of the request.
  using Observer = std::function<void(const HttpRequest& request, int status, std::chrono::steady_clock::duration time)>;
  void on_answer(Observer observer);
  // Server's thread, before drain(): answers ask clients to close their connection, so that they come back elsewhere.
  void turn_clients_away();

  struct Counts {
    std::uint64_t connections_open = 0, connections_total = 0, requests_total = 0, streams_open = 0;
    std::uint64_t refused_connections = 0, timeouts = 0, bad_requests = 0;
    std::size_t body_bytes = 0;  // of bodies on their way in
  };
  Counts counts() const;  // server thread

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Standard reason phrase of a status.
std::string_view reason_of(int status);

}  // namespace holdfast::net
