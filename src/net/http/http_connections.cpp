#include "net/http/http_connections.h"

#include "net/http/http_connection.h"

#include <algorithm>
#include <utility>

namespace holdfast::net {

namespace {

// One buffer for all connections. A request of the usual size fits many times; bodies come in pieces.
constexpr std::size_t kReceiveBuffer = 64 * 1024;

// Clients beyond max_connections that are being told so. Further ones are closed without a word.
constexpr std::size_t kMaxRefused = 64;

// Deadlines are looked at in one walk over all connections, at most this often: 10,000 of them cost
// well under a millisecond, and nobody minds a time-out that is this late.
constexpr std::chrono::milliseconds kSweepPause{50};

}  // namespace

HttpConnections::HttpConnections(EventLoop& event_loop, const HttpLimits& http_limits, HttpServer::Handler request_handler)
    : loop(event_loop), limits(http_limits), handler(std::move(request_handler)), buffer(kReceiveBuffer) {
  loop.before_wait([this] { flush_waiting(); });
}

HttpConnections::~HttpConnections() = default;

void HttpConnections::add(Fd socket, std::string peer) {
  ++totals.connections_total;
  if (is_full()) make_room();
  const bool full = is_full();
  if (full) ++totals.refused_connections;
  if (open_.size() >= limits.max_connections + kMaxRefused) return;
  auto connection = std::make_shared<HttpConnection>(*this, std::move(socket), std::move(peer));
  connection->index = open_.size();
  open_.push_back(connection);
  connection->among_strangers = strangers_.insert(strangers_.end(), connection.get());
  if (!connection->start()) return connection->close();
  if (full) connection->refuse_service();
}

bool HttpConnections::is_full() const {
  return open_.size() >= limits.max_connections || strangers_.size() >= limits.max_strangers;
}

void HttpConnections::make_room() {
  if (strangers_.empty()) return;
  const auto waiting = std::ranges::find_if(strangers_, [](const HttpConnection* each) { return each->waits(); });
  const auto oldest = (waiting == strangers_.end() ? strangers_.front() : *waiting)->shared_from_this();
  ++totals.refused_connections;
  oldest->close();
}

void HttpConnections::know(HttpConnection& connection) {
  if (!connection.among_strangers) return;
  strangers_.erase(*connection.among_strangers);
  connection.among_strangers.reset();
}

void HttpConnections::drain() {
  draining = turning_away = true;
  for (std::size_t i = open_.size(); i-- > 0;) {
    const auto connection = open_[i];  // closing swaps the last one, already seen, into this place
    connection->drain();
  }
  if (open_.empty() && on_empty_) on_empty_();
}

void HttpConnections::close_all() {
  while (!open_.empty()) {
    const auto connection = open_.back();
    connection->close();
  }
}

HttpServer::Counts HttpConnections::counts() const {
  HttpServer::Counts counts = totals;
  counts.connections_open = open_.size();
  return counts;
}

void HttpConnections::remove(HttpConnection& connection) {
  know(connection);
  const std::size_t place = connection.index;
  open_.back()->index = place;
  std::swap(open_[place], open_.back());
  open_.pop_back();
  if (draining && open_.empty() && on_empty_) on_empty_();
}

void HttpConnections::flush_later(std::shared_ptr<HttpConnection> connection) {
  unflushed_.push_back(std::move(connection));
}

void HttpConnections::flush_waiting() {
  if (unflushed_.empty()) return;
  // Flushing may post tasks, but queues no further flush.
  for (const auto& connection : unflushed_) connection->flush();
  unflushed_.clear();
}

void HttpConnections::wake_at(TimePoint deadline) {
  if (deadline >= next_sweep_) return;
  next_sweep_ = deadline;
  loop.cancel(sweep_timer_);
  const auto delay = std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
  sweep_timer_ = loop.after(std::max(delay, std::chrono::milliseconds(0)), [this] { sweep(); });
}

void HttpConnections::sweep() {
  const TimePoint now = std::chrono::steady_clock::now();
  next_sweep_ = TimePoint::max();
  TimePoint next = TimePoint::max();
  for (std::size_t i = open_.size(); i-- > 0;) {
    if (open_[i]->deadline() > now) {
      next = std::min(next, open_[i]->deadline());
      continue;
    }
    const auto connection = open_[i];
    connection->on_deadline();
    next = std::min(next, connection->deadline());
  }
  if (next != TimePoint::max()) wake_at(std::max(next, now + kSweepPause));
}

std::unique_ptr<HttpReader> HttpConnections::take_reader() {
  if (spare_reader_) return std::move(spare_reader_);
  return std::make_unique<HttpReader>(limits);
}

void HttpConnections::give_reader(std::unique_ptr<HttpReader> reader) {
  reader->reset();
  spare_reader_ = std::move(reader);
}

}  // namespace holdfast::net
