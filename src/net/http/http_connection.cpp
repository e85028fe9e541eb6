// Bytes in, requests to the handler, answers out: one connection at work (its phases: http_connection.h).
//
// The loop says that the socket is ready, and enter() lets us work: receive() reads, consume() gives the bytes to the reader
// until a head is complete, and the handler is asked to judge it. Only for a client that it admits the body is read, and then its
// work begins. The answer is appended to output_, flush() sends what the socket takes, and finish_answer() makes the connection
// ready for its next request.
//
// The handler may answer from inside its own call or much later, and may close us while it does. So nobody is called from inside
// respond(): what was read meanwhile is taken up by a posted task (resume_later), and enter() sends everything at its end, in one
// piece. The socket is registered once, edge-triggered: whoever stops reading before it is empty has to remember that
// (input_paused_), because the kernel will not say it again. A client that is slow to read its answers gets no further request
// begun, and after an error we go on reading for a moment and throw it away: a socket that is closed with unread bytes is reset,
// and the client would never see why.

#include "net/http/http_connection.h"

#include "base/run/log.h"
#include "base/text/text.h"
#include "net/http/http_connections.h"
#include "net/http/http_response_text.h"

#include <sys/epoll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <exception>
#include <utility>

namespace holdfast::net {

namespace {

constexpr std::size_t kReadAhead = 64 * 1024;            // kept of what a client sends before its answer
constexpr std::size_t kHeadPiece = 8 * 1024;             // read at once of a head: what a stranger's bytes behind it may cost
constexpr int kReadsAtOnce = 4;                          // of 64 KB each, then the other connections get their turn
constexpr std::size_t kPauseOutput = 64 * 1024;          // unsent bytes at which no further request of a guest is begun
constexpr std::size_t kForgetSent = 64 * 1024;           // sent bytes at the front of the queue worth moving the rest for
constexpr std::chrono::milliseconds kLinger{1'000};      // for a client to read an error while still sending
constexpr std::chrono::milliseconds kFirstRequest{500};  // while draining: a client that has just connected has something to say

constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
constexpr std::string_view kKeepAlive = ": keep-alive\n\n";

bool is_event_stream(const HttpHeaders& headers) {
  constexpr std::string_view kType = "text/event-stream";
  for (const auto& [name, value] : headers)
    if (equal_ignoring_ascii_case(name, "Content-Type"))
      return equal_ignoring_ascii_case(std::string_view(value).substr(0, kType.size()), kType);
  return false;
}

}  // namespace

HttpConnection::HttpConnection(HttpConnections& all, Fd socket, std::string peer)
    : all_(all), socket_(std::move(socket)), peer_(std::move(peer)) {}

HttpConnection::~HttpConnection() = default;

bool HttpConnection::start() {
  // Edge-triggered and registered once: a request costs recv and send, and no epoll_ctl.
  if (!all_.loop.watch(socket_.get(), EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, this)) return false;
  wait_for(Wait::idle);
  return true;
}

void HttpConnection::refuse_service() {
  fail(503, "too many connections");
  flush();
}

void HttpConnection::on_ready(std::uint32_t events) {
  if ((events & EPOLLRDHUP) != 0) end_announced_ = true;
  enter([&] {
    if ((events & (EPOLLERR | EPOLLHUP)) != 0) return close();
    if ((events & EPOLLOUT) != 0 && unsent() != 0) flush();
    if ((events & (EPOLLIN | EPOLLRDHUP)) != 0) receive();
  });
}

// Input that had to wait: for an answer to be finished, or for the other connections to have a turn.
// Posted, never called by respond(): the handler must not be entered again from inside its own call.
void HttpConnection::resume_later() {
  if (resume_queued_ || (input_.empty() && !input_paused_)) return;
  resume_queued_ = true;
  all_.loop.post([self = shared_from_this()] {
    self->resume_queued_ = false;
    self->enter([&] {
      if (self->phase_ == Phase::reading || self->phase_ == Phase::receiving) self->consume(std::exchange(self->input_, {}));
      if (std::exchange(self->input_paused_, false)) self->receive();
    });
  });
}

// Every way in from the loop: what happens inside may close us, and what it leaves to be sent goes
// out when it is done, in one piece.
template <class Work>
void HttpConnection::enter(Work work) {
  const auto self = shared_from_this();
  in_loop_call_ = true;
  try {
    work();
  } catch (const std::exception& error) {  // out of memory, most likely; the others can go on
    log(LogLevel::error, "net", std::string("a connection is given up: ") + error.what());
    close();
  }
  in_loop_call_ = false;
  if (unsent() != 0 || phase_ == Phase::closing) flush();
  if ((phase_ == Phase::reading && !owes_much()) || phase_ == Phase::receiving) resume_later();
}

void HttpConnection::receive() {
  for (int reads = 0; phase_ != Phase::closed; ++reads) {
    if (phase_ == Phase::judging) {
      input_paused_ = true;  // until it is admitted, or answered; what it has sent already counts even when it has left
      return;
    }
    if (input_.size() >= kReadAhead) {
      input_paused_ = true;  // until the answer is finished
      if (end_announced_) on_end_of_input();
      return;
    }
    if (reads == kReadsAtOnce) {
      input_paused_ = true;
      return resume_later();
    }
    const bool unwanted = phase_ == Phase::closing || phase_ == Phase::lingering;
    const std::size_t piece = phase_ == Phase::reading ? kHeadPiece : all_.buffer.size();
    // What nobody reads the kernel need not copy.
    const ssize_t got = ::recv(socket_.get(), all_.buffer.data(), piece, unwanted ? MSG_TRUNC : 0);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
    if (got < 0) return close();
    if (got == 0) return on_end_of_input();
    const std::string_view bytes(all_.buffer.data(), static_cast<std::size_t>(got));
    switch (phase_) {
      case Phase::reading:
      case Phase::receiving:
        if (input_.empty()) {
          consume(bytes);
          break;
        }
        [[fallthrough]];
      case Phase::running:
      case Phase::streaming:
        input_.append(bytes);
        break;
      default:
        break;  // closing or lingering
    }
    // A short read has emptied the socket, and what comes later is a new edge. (epoll(7), Q9)
    if (bytes.size() < piece && !end_announced_) return;
  }
}

void HttpConnection::consume(std::string_view bytes) {
  unread_ = bytes;
  while (!unread_.empty() && (phase_ == Phase::reading || phase_ == Phase::receiving)) {
    if (phase_ == Phase::reading && owes_much()) {
      flush();
      if (phase_ != Phase::reading || owes_much()) break;
    }
    if (!reader_) reader_ = all_.take_reader();
    unread_.remove_prefix(reader_->feed(unread_, HttpReader::Stop::behind_the_head));
    const bool in_body = phase_ == Phase::receiving;
    switch (reader_->state()) {
      case HttpReader::State::idle:
        all_.give_reader(std::move(reader_));
        break;
      case HttpReader::State::header:
        wait_for(Wait::header);
        break;
      case HttpReader::State::body:
        if (!in_body)
          take_head();
        else
          count_body(reader_->body_bytes());
        break;
      case HttpReader::State::complete:
        if (!in_body)
          take_head();
        else
          take_body();
        break;
      case HttpReader::State::failed:
        ++all_.totals.bad_requests;
        fail(reader_->failure_status(), reader_->failure_reason());
        break;
    }
  }
  const std::string_view rest = std::exchange(unread_, {});
  if (phase_ != Phase::closing && phase_ != Phase::lingering && phase_ != Phase::closed) input_.append(rest);
}

void HttpConnection::take_head() {
  const bool complete = reader_->state() == HttpReader::State::complete;
  keep_alive_ = reader_->keep_alive() && !all_.turning_away;
  http_1_0_ = reader_->http_1_0();
  asks_for_body_ = !complete && reader_->expects_continue() && unread_.empty();
  auto exchange = std::make_shared<LiveExchange>(shared_from_this(), reader_->take());
  if (complete) all_.give_reader(std::move(reader_));
  exchange->request().peer = peer_;
  is_head_ = exchange->request().method == "HEAD";
  exchange_ = exchange;
  phase_ = Phase::judging;
  served_ = true;
  wait_by_phase();
  ++all_.totals.requests_total;
  call_handler([&] { all_.handler(std::move(exchange)); });
}

void HttpConnection::admit(std::function<void()> then) {
  all_.know(*this);
  if (phase_ == Phase::running) return then();
  if (phase_ != Phase::judging) return;
  if (!reader_) {
    phase_ = Phase::running;
    wait_by_phase();
    return then();
  }
  incoming_ = std::make_unique<Incoming>(exchange_.lock(), std::move(then));
  phase_ = Phase::receiving;
  wait_by_phase();
  if (std::exchange(asks_for_body_, false)) {
    output_ += kContinue;
    flush_soon();
  }
  if (!in_loop_call_) resume_later();
}

void HttpConnection::take_body() {
  const std::unique_ptr<Incoming> whole = std::move(incoming_);
  all_.totals.body_bytes -= whole->counted;
  whole->exchange->take_body(reader_->take().body);
  all_.give_reader(std::move(reader_));
  phase_ = Phase::running;
  wait_by_phase();
  call_handler(std::move(whole->then));
}

void HttpConnection::count_body(std::size_t bytes) {
  all_.totals.body_bytes += bytes - std::exchange(incoming_->counted, bytes);
  if (all_.totals.body_bytes > all_.limits.max_bodies_bytes) fail(503, "too much is being sent at once; try again");
}

// An answer before all of the body was read: what of it is not here is not waited for.
void HttpConnection::forget_body() {
  if (!reader_) return;
  if (incoming_) all_.totals.body_bytes -= incoming_->counted;
  const std::unique_ptr<Incoming> given_up = std::move(incoming_);
  if (unread_.empty())
    input_.erase(0, reader_->feed(input_));
  else
    unread_.remove_prefix(reader_->feed(unread_));
  if (reader_->state() != HttpReader::State::complete) {
    keep_alive_ = false;
    linger_ = true;
    input_ = {};
  }
  all_.give_reader(std::move(reader_));
}

Result<std::uint32_t> HttpConnection::peer_user() const {
  return all_.owners.peer_of(socket_.get());
}

// So much is not sent yet that a further request has to wait; of a stranger, anything.
bool HttpConnection::owes_much() const {
  return unsent() >= (among_strangers ? 1 : kPauseOutput);
}

// Between requests, in the middle of a head, or behind the last answer.
bool HttpConnection::waits() const {
  return phase_ == Phase::reading || phase_ == Phase::closing || phase_ == Phase::lingering;
}

template <class Call>
void HttpConnection::call_handler(Call call) {
  try {
    call();
  } catch (const std::exception& error) {
    // Unwinding has let go of the exchange, which has answered 500 unless somebody else keeps it.
    log(LogLevel::error, "net", std::string("a handler failed: ") + error.what());
  } catch (...) {
    log(LogLevel::error, "net", "a handler failed");
  }
}

void HttpConnection::respond(const HttpResponse& response) {
  if (!is_asked()) return;
  forget_body();
  const bool has_body = status_has_body(response.status);
  if (all_.turning_away) keep_alive_ = false;
  tell_observer(response.status);
  output_.reserve(output_.size() + response.body.size() + 256);
  append_head(output_, response.status, response.headers,
              {.body = has_body ? ResponseFraming::Body::sized : ResponseFraming::Body::none,
               .size = response.body.size(),
               .http_1_0 = http_1_0_,
               .keep_alive = keep_alive_});
  if (has_body && !is_head_) output_ += response.body;
  finish_answer();
}

void HttpConnection::tell_observer(int status) {
  if (!all_.observer) return;
  if (const auto exchange = exchange_.lock())
    all_.observer(exchange->request(), status, std::chrono::steady_clock::now() - exchange->began());
}

void HttpConnection::start_stream(int status, const HttpHeaders& headers) {
  if (!is_asked()) return;
  forget_body();
  const bool has_body = status_has_body(status);
  if (all_.turning_away || (http_1_0_ && has_body)) keep_alive_ = false;
  tell_observer(status);
  chunked_ = !http_1_0_ && has_body;
  event_stream_ = has_body && is_event_stream(headers);
  const auto body =
      chunked_ ? ResponseFraming::Body::chunked : (has_body ? ResponseFraming::Body::until_close : ResponseFraming::Body::none);
  append_head(output_, status, headers, {.body = body, .http_1_0 = http_1_0_, .keep_alive = keep_alive_});
  if (!has_body) is_head_ = true;  // nothing that is written may be sent
  phase_ = Phase::streaming;
  ++all_.totals.streams_open;
  wait_by_phase();
  flush_soon();
}

void HttpConnection::write(std::string_view bytes) {
  if (phase_ != Phase::streaming) return;
  queue_chunk(bytes);
  if (unsent() > all_.limits.max_queued_bytes) {
    flush();
    if (unsent() > all_.limits.max_queued_bytes) return close();
  }
  wait_by_phase();
  flush_soon();
}

void HttpConnection::queue_chunk(std::string_view bytes) {
  if (is_head_) return;
  if (!chunked_) {
    output_ += bytes;
    return;
  }
  std::array<char, 16> size;
  const auto [end, error] = std::to_chars(size.data(), size.data() + size.size(), bytes.size(), 16);
  output_.append(size.data(), end);
  output_ += "\r\n";
  output_ += bytes;
  output_ += "\r\n";
}

void HttpConnection::end_stream() {
  if (phase_ != Phase::streaming) return;
  --all_.totals.streams_open;
  if (chunked_ && !is_head_) output_ += "0\r\n\r\n";
  finish_answer();
}

void HttpConnection::finish_answer() {
  exchange_.reset();
  phase_ = keep_alive_ ? Phase::reading : Phase::closing;
  wait_by_phase();
  flush_soon();
  if (phase_ == Phase::reading && !in_loop_call_) resume_later();
}

void HttpConnection::abandon(std::shared_ptr<HttpConnection> connection) {
  if (!connection->all_.loop.on_loop_thread()) {
    EventLoop& loop = connection->all_.loop;
    loop.post([connection = std::move(connection)]() mutable { abandon(std::move(connection)); });
    return;
  }
  if (connection->is_asked()) {
    log(LogLevel::error, "net", "a request was dropped without an answer");
    connection->respond({.status = 500, .headers = {{"Content-Type", "text/plain"}}, .body = "no answer\n"});
  } else if (connection->phase_ == Phase::streaming) {
    // An end mark would tell the client that this was all.
    connection->flush();
    connection->close();
  }
}

void HttpConnection::fail(int status, std::string_view reason) {
  std::string body(reason);
  body += '\n';
  HttpHeaders headers = {{"Content-Type", "text/plain; charset=utf-8"}};
  if (status == 503) headers.emplace_back("Retry-After", "1");
  append_head(output_, status, headers, {.size = body.size(), .keep_alive = false});
  output_ += body;
  linger_ = true;
  phase_ = Phase::closing;
  let_go();
  wait_by_phase();
}

// Of the request that was on its way: who waits for it learns that the client has gone.
void HttpConnection::let_go() {
  if (incoming_) all_.totals.body_bytes -= incoming_->counted;
  const std::unique_ptr<Incoming> given_up = std::move(incoming_);
  reader_.reset();
  unread_ = {};
  input_ = {};
  if (const auto exchange = exchange_.lock())
    if (auto callback = exchange->leave()) all_.loop.post(std::move(callback));
  exchange_.reset();
}

void HttpConnection::flush_soon() {
  if (in_loop_call_ || flush_queued_) return;
  flush_queued_ = true;
  all_.flush_later(shared_from_this());
}

void HttpConnection::flush() {
  flush_queued_ = false;
  if (phase_ == Phase::closed) return;
  while (unsent() != 0) {
    const ssize_t sent = ::send(socket_.get(), output_.data() + sent_, unsent(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
      forget_sent();
      wait_for(Wait::write);
      return;
    }
    if (sent < 0) return close();
    sent_ += static_cast<std::size_t>(sent);
    if (wait_ == Wait::write) wait_ = Wait::none;  // progress: the time-out starts anew
  }
  output_ = {};
  sent_ = 0;
  if (phase_ == Phase::closing) return last_bytes_sent();
  if (wait_ == Wait::none) wait_by_phase();
  if (phase_ == Phase::reading && !in_loop_call_) resume_later();
}

void HttpConnection::forget_sent() {
  if (sent_ < kForgetSent || sent_ < output_.size() / 2) return;
  output_.erase(0, sent_);
  sent_ = 0;
}

void HttpConnection::last_bytes_sent() {
  if (!linger_ || input_ended_) return close();
  ::shutdown(socket_.get(), SHUT_WR);
  phase_ = Phase::lingering;
  wait_by_phase();
  if (input_paused_) resume_later();
}

void HttpConnection::on_end_of_input() {
  input_ended_ = true;
  // A client may have shut down its sending half only: an answer that is already on its way is
  // finished, one that is still being worked on is not waited for.
  if (phase_ == Phase::reading && unsent() != 0) phase_ = Phase::closing;
  if (phase_ != Phase::closing) close();
}

void HttpConnection::drain() {
  keep_alive_ = false;
  if (phase_ == Phase::reading) enter([&] { receive(); });  // a request that is here already is answered
  if (phase_ != Phase::reading || !input_.empty() || input_paused_) return;
  if (unsent() != 0) {
    phase_ = Phase::closing;
  } else if (served_ && !reader_) {
    close();
  } else {
    wait_by_phase();  // not for as long as before
  }
}

void HttpConnection::close() {
  if (phase_ == Phase::closed) return;
  if (phase_ == Phase::streaming) --all_.totals.streams_open;
  phase_ = Phase::closed;
  wait_for(Wait::none);
  all_.loop.unwatch(socket_.get(), this);
  socket_.reset();
  output_ = {};
  sent_ = 0;
  let_go();
  all_.remove(*this);
}

void HttpConnection::on_deadline() {
  switch (wait_) {
    case Wait::none:
      return;
    case Wait::idle:
    case Wait::linger:
      return close();
    case Wait::header:
      if (all_.draining) return close();
      [[fallthrough]];
    case Wait::body:
      ++all_.totals.timeouts;
      fail(408, wait_ == Wait::header ? "the request header took too long" : "the request body took too long");
      return flush();
    case Wait::write:
      ++all_.totals.timeouts;
      return close();
    case Wait::keep_alive:
      queue_chunk(kKeepAlive);
      wait_ = Wait::none;
      return flush();
  }
}

void HttpConnection::wait_by_phase() {
  if (wait_ == Wait::write && unsent() != 0) return;  // the client must read before anything else counts
  wait_ = Wait::none;
  switch (phase_) {
    case Phase::reading:
      return wait_for(reader_ ? Wait::header : Wait::idle);
    case Phase::receiving:
      return wait_for(Wait::body);
    case Phase::streaming:
      return wait_for(event_stream_ && !is_head_ ? Wait::keep_alive : Wait::none);
    case Phase::closing:
      return wait_for(Wait::write);
    case Phase::lingering:
      return wait_for(Wait::linger);
    case Phase::judging:
    case Phase::running:
    case Phase::closed:
      return wait_for(Wait::none);
  }
}

// Starts a time-out unless it is running already: more bytes of the same header do not extend it.
void HttpConnection::wait_for(Wait what) {
  if (what == wait_ && what != Wait::none) return;
  wait_ = what;
  const HttpLimits& limits = all_.limits;
  std::chrono::milliseconds delay{};
  switch (what) {
    case Wait::none:
      deadline_ = TimePoint::max();
      return;
    case Wait::idle:
      delay = among_strangers ? std::min(limits.idle_timeout, limits.stranger_timeout) : limits.idle_timeout;
      if (all_.draining) delay = kFirstRequest;
      break;
    case Wait::header:
      delay = all_.draining ? kFirstRequest : limits.header_timeout;
      break;
    case Wait::body:
      delay = limits.body_timeout;
      break;
    case Wait::write:
      delay = limits.write_timeout;
      break;
    case Wait::keep_alive:
      delay = limits.stream_keep_alive;
      break;
    case Wait::linger:
      delay = kLinger;
      break;
  }
  deadline_ = all_.loop.now() + delay;
  all_.wake_at(deadline_);
}

}  // namespace holdfast::net
