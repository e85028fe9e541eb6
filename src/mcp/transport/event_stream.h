#pragma once

// One server-sent event stream of a legacy session, which outlives the connections that carry it.
//
// Every event has an id "<stream>-<n>" and is stored before it is sent, so a client that lost its
// connection gets the rest from this process, another one, or this one after a restart (design 8.34). A stream has one owner,
// which its row names: a stand-alone stream goes to the process where it was resumed, that of a request stays where it runs, and
// its row says whether another process follows it.
// Streams of requests are called p..., stand-alone streams g... . I/O thread only.

#include "mcp/server/server.h"
#include "mcp/transport/strand.h"
#include "net/http/http_server.h"

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::mcp {

inline constexpr std::string_view kEventArea = "mcp.event";
inline constexpr std::string_view kStreamArea = "mcp.stream";

struct EventId {
  std::string stream;
  std::uint64_t number = 0;
};
// Strict: only what this server could have given out.
std::optional<EventId> parse_event_id(std::string_view text);
// Key of an event in the store; keys sort in the order of the events.
std::string event_key(std::string_view session, std::string_view stream, std::uint64_t number);
std::uint64_t event_number(std::string_view key);  // of such a key
bool is_standalone(std::string_view stream);       // by its name

class EventStream : public std::enable_shared_from_this<EventStream> {
 public:
  // request_id: null for a stand-alone stream. prime: the session's version knows the empty first event.
  // first: number of the first event to come (1, or later when a stand-alone stream goes on).
  EventStream(Server& server, std::string session, std::string id, Json request_id, bool prime, std::uint64_t first = 1);

  const std::string& id() const { return id_; }
  // Key in the transport's table of live streams.
  std::string key() const { return session_ + "/" + id_; }

  // Begins the answer on this connection; events go there until it is gone.
  void attach(std::shared_ptr<net::HttpExchange> exchange);
  // The same, after the events the client has not seen yet.
  void resume(std::shared_ptr<net::HttpExchange> exchange, std::uint64_t after);
  // Messages wait until it is known with which number they go on, on a connection whose answer has begun already.
  void hold() { held_.emplace(); }
  void go_on(std::shared_ptr<net::HttpExchange> exchange, std::uint64_t next);
  // Ends the connection, once the stream can be found elsewhere, and leaves it; the client is told how long to wait.
  void release();
  // Ends the connection for good: the session is over, or a newer connection takes its place.
  void hang_up();

  // A stream that cannot be stored as fast as it grows loses messages rather than memory; only a broken handler
  // gets there.
  void push(std::string message);
  void finish(std::string message);  // the last event; an empty message ends the stream without one
  // The transport ends: what is not stored yet will not be. (Jobs that wait keep the stream alive.)
  void abandon() { writes_->clear(); }
  bool hung_up() const { return hung_up_; }
  bool has_client() const { return exchange_ && !exchange_->gone(); }

 private:
  struct Event {
    std::uint64_t number;
    std::string data;  // empty: nothing is sent
    bool last;
  };
  void keep(Event event);
  void prime();
  void let_go();
  JsonObject row(const std::string& owner, bool followed) const;
  void deliver(const Event& event);

  Server& server_;
  std::string session_, id_;
  Json request_id_;
  bool prime_;
  std::uint64_t next_;
  std::uint64_t stored_;  // number of the last event in the store: what a client can have seen
  Millis row_until_ = 0;  // how long the stream's own row is kept
  bool finished_ = false, hung_up_ = false, primed_ = false;
  std::optional<std::vector<std::string>> held_;  // see hold(); at most kMaxEventsPerStream
  std::shared_ptr<Strand> writes_;
  std::shared_ptr<net::HttpExchange> exchange_;
  std::deque<Event> sent_;  // stored and, if a client was there, sent; at most kMaxEventsPerStream
};

// SSE response headers.
net::HttpHeaders stream_headers();

}  // namespace holdfast::mcp
