#pragma once

// One client's connection: bytes in, requests to the handler, answers out, in order.
//
// Life: reading (between requests, or a head) → judging (the handler has the head; nothing more is read)
// → receiving (the body, of an admitted client) → running (the handler has it all) → reading again, or
// streaming → reading; at the end closing (last bytes go out) → lingering (after an error: what the
// client still sends is thrown away, because closing a socket with unread bytes makes the kernel
// reset it and the client would never see the answer) → closed.
//
// While the handler works we go on listening, to see the client leave; what it sends ahead is kept
// up to a limit. An idle connection, and a stream with nothing to say, own no buffer and no reader.
// Everything here runs on the loop thread.

#include "base/files/fd.h"
#include "net/http/http_exchange.h"
#include "net/http/http_reader.h"
#include "net/http/http_server.h"
#include "net/run/event_loop.h"

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace holdfast::net {

class HttpConnections;

class HttpConnection final : public EventLoop::Watcher, public std::enable_shared_from_this<HttpConnection> {
 public:
  using TimePoint = EventLoop::TimePoint;

  HttpConnection(HttpConnections& all, Fd socket, std::string peer);
  ~HttpConnection();

  bool start();           // false: the kernel would not watch it
  void refuse_service();  // instead of reading: 503 and away
  void on_ready(std::uint32_t events) override;
  void on_deadline();  // deadline() has passed
  TimePoint deadline() const { return deadline_; }
  void flush();  // sends what the socket takes
  void drain();
  void close();  // the exchange, if one is open, learns that the client has gone

  // The exchange's side.
  void admit(std::function<void()> then);
  Result<std::uint32_t> peer_user() const;
  void respond(const HttpResponse& response);
  void start_stream(int status, const HttpHeaders& headers);
  void write(std::string_view bytes);
  void end_stream();
  static void abandon(std::shared_ptr<HttpConnection> connection);  // any thread

  bool waits() const;  // for its client, not for us

  // HttpConnections alone uses these.
  std::size_t index = 0;
  std::optional<std::list<HttpConnection*>::iterator> among_strangers;

 private:
  enum class Phase { reading, judging, receiving, running, streaming, closing, lingering, closed };
  enum class Wait { none, idle, header, body, write, keep_alive, linger };

  // A request whose body is on its way, and what waits for it.
  struct Incoming {
    std::shared_ptr<LiveExchange> exchange;
    std::function<void()> then;
    std::size_t counted = 0;  // bytes, in HttpServer::Counts::body_bytes
  };

  template <class Work>
  void enter(Work work);
  template <class Call>
  void call_handler(Call call);
  void receive();
  void consume(std::string_view bytes);
  void resume_later();
  void take_head();
  void take_body();
  void count_body(std::size_t bytes);
  void forget_body();
  void let_go();
  // The handler has the request, and has not answered yet.
  bool is_asked() const { return phase_ == Phase::judging || phase_ == Phase::receiving || phase_ == Phase::running; }
  void fail(int status, std::string_view reason);
  void tell_observer(int status);
  void finish_answer();
  void queue_chunk(std::string_view bytes);
  void flush_soon();
  void on_end_of_input();
  void last_bytes_sent();
  void forget_sent();
  void wait_for(Wait what);
  void wait_by_phase();
  std::size_t unsent() const { return output_.size() - sent_; }
  bool owes_much() const;

  HttpConnections& all_;
  Fd socket_;
  std::string peer_;
  std::string_view unread_;  // the rest of what consume() works on
  std::string input_;        // came while an earlier answer was pending
  std::string output_;       // to be sent, from sent_ on
  std::size_t sent_ = 0;
  std::unique_ptr<HttpReader> reader_;  // only until a request is complete
  std::unique_ptr<Incoming> incoming_;  // only while receiving
  std::weak_ptr<LiveExchange> exchange_;
  TimePoint deadline_ = TimePoint::max();
  Phase phase_ = Phase::reading;
  Wait wait_ = Wait::none;
  bool keep_alive_ = true, http_1_0_ = false, is_head_ = false, chunked_ = false, event_stream_ = false;
  bool in_loop_call_ = false;  // inside enter(), which flushes when it is done
  bool flush_queued_ = false, resume_queued_ = false;
  bool input_paused_ = false;   // there is more to read than we want to take now
  bool end_announced_ = false;  // the peer has shut down; its last bytes may still wait in the socket
  bool input_ended_ = false;
  bool served_ = false;         // had a request
  bool asks_for_body_ = false;  // the client waits for "100 Continue"
  bool linger_ = false;
};

}  // namespace holdfast::net
