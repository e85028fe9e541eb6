#pragma once

// All connections of one server, and what they share: the loop, the limits, one receive buffer, one
// spare reader, one budget for bodies, the walk that looks for passed deadlines, and the list of those
// nobody was admitted on. Loop thread only.

#include "base/files/fd.h"
#include "net/http/http_reader.h"
#include "net/http/http_server.h"
#include "net/http/socket_owners.h"
#include "net/run/event_loop.h"

#include <functional>
#include <list>
#include <memory>
#include <string>
#include <vector>

namespace holdfast::net {

class HttpConnection;

class HttpConnections {
 public:
  using TimePoint = EventLoop::TimePoint;

  HttpConnections(EventLoop& loop, const HttpLimits& limits, HttpServer::Handler handler);
  ~HttpConnections();

  // Takes an accepted socket. When there are too many connections, or too many strangers, the oldest stranger makes room, if
  // possible one that keeps us waiting; when there is none, the client is told 503.
  void add(Fd socket, std::string peer);
  void drain();      // closes what is idle, lets the rest finish; then on_empty
  void close_all();  // at once
  void on_empty(std::function<void()> callback) { on_empty_ = std::move(callback); }
  HttpServer::Counts counts() const;

  // For the connections themselves.
  void remove(HttpConnection& connection);
  void know(HttpConnection& connection);                         // no stranger any more
  void flush_later(std::shared_ptr<HttpConnection> connection);  // before the loop sleeps
  void wake_at(TimePoint deadline);                              // on_deadline() will be called then, or soon after
  std::unique_ptr<HttpReader> take_reader();
  void give_reader(std::unique_ptr<HttpReader> reader);

  EventLoop& loop;
  const HttpLimits limits;
  const HttpServer::Handler handler;
  std::vector<char> buffer;  // what recv() fills; nobody keeps a view of it
  SocketOwners owners;
  bool draining = false;
  bool turning_away = false;  // answers close their connection; implied by draining
  HttpServer::Observer observer;
  HttpServer::Counts totals;

 private:
  bool is_full() const;
  void make_room();
  void flush_waiting();
  void sweep();

  std::vector<std::shared_ptr<HttpConnection>> open_;
  std::list<HttpConnection*> strangers_;  // as they came
  std::vector<std::shared_ptr<HttpConnection>> unflushed_;
  std::unique_ptr<HttpReader> spare_reader_;
  std::function<void()> on_empty_;
  TimePoint next_sweep_ = TimePoint::max();
  TimerId sweep_timer_ = 0;
};

}  // namespace holdfast::net
