#pragma once

// MCP over streamable HTTP, as a client, in both eras. Each message is a POST of its own; its answer is JSON or a stream.
//
// Legacy: the session id that the server gives is sent with everything; a stream that breaks is resumed after the wait
// the server asks for; a stand-alone stream brings what belongs to no request; a session that the server has forgotten
// (404) is a lost connection, and the request that found out is sent again on the next one. Modern: none of this exists,
// and giving up a request closes its stream. A request that fails is undelivered; the connection, being only a session
// id, goes on. Where there is an authorizer, a request that is refused for want of authorization waits for it and is sent
// again, a few times at most. Loop thread only.

#include "base/json/json.h"
#include "mcp/client/client_transport.h"
#include "net/client/http_client.h"
#include "net/http/sse.h"
#include "net/run/event_loop.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace holdfast::mcp {

// The body of an HTTP answer as JSON values, whichever of its two forms it has: one JSON text, or an event stream.
// No sockets here.

// What is remembered of a stream from one connection to the next.
struct StreamPlace {
  std::string last_event_id;                       // empty: it cannot be resumed
  std::optional<std::chrono::milliseconds> retry;  // the wait that the server asks for
};

class HttpAnswerReader {
 public:
  // on_value is called for every value as it comes; place is kept up to date, and outlives this.
  HttpAnswerReader(StreamPlace& place, std::function<void(Json)> on_value);

  // A piece of a successful answer. Errors: too_large (kMaxIncomingBytes for one value).
  Result<void> take(const net::HttpAnswer& head, std::string_view bytes);
  // The answer is whole. Errors: corrupt (a body that is neither empty nor JSON).
  Result<void> finish();

  bool is_stream() const { return form_ == Form::stream; }
  std::uint64_t events() const { return events_; }    // with data, so far
  std::uint64_t garbage() const { return garbage_; }  // of which not JSON

 private:
  enum class Form { unknown, text, stream };
  void take_event(net::SseEvent event);

  StreamPlace& place_;
  std::function<void(Json)> on_value_;
  net::SseParser parser_;
  Form form_ = Form::unknown;
  std::string text_;
  std::uint64_t events_ = 0, garbage_ = 0;
};

// Who lets the requests of an HTTP transport in. The transport asks it before each request and when one was refused; what it
// does about that (oauth/authorizer.h) may take minutes, when a person is asked. Loop thread only.
class HttpAuthorizer {
 public:
  using Done = std::function<void(Result<void>)>;
  // Grows with each token, so that a refusal can be told to be of an older one.
  using Turn = std::uint64_t;

  virtual ~HttpAuthorizer() = default;

  // What we hold will do for now. Otherwise renew() first; it calls done later, in any case: a token that could not be
  // renewed is refused soon enough.
  virtual bool fresh() const = 0;
  virtual void renew(Done done) = 0;
  // Adds what we hold, if anything. Only for calls to the server that this was made for.
  virtual Turn sign(net::HttpCall& call) = 0;
  // A request signed at that turn was refused. False: nothing can be done about it. Otherwise done is called later: send it
  // again, or the reason why not.
  virtual bool refused(Turn turn, const net::HttpAnswer& answer, Done done) = 0;
  // The head of every answer, also of good ones: servers hand out there what they want to see with the next request.
  virtual void heard(const net::HttpAnswer&) {}
};

struct HttpEndpoint {
  std::string url;
  std::vector<std::pair<std::string, std::string>> headers;  // sent with every request: Authorization and its like
  bool listen = true;                                        // legacy: open the stand-alone stream
  std::shared_ptr<HttpAuthorizer> authorizer = nullptr;      // asked before each request, and when one is refused
};

// The loop outlives every transport that is made.
TransportMaker http_transport_maker(net::EventLoop& loop, HttpEndpoint endpoint);

}  // namespace holdfast::mcp
