#include "mcp/event_stream.h"

#include "base/log.h"
#include "mcp/limits.h"
#include "net/sse.h"

#include <charconv>

namespace holdfast::mcp {

std::optional<EventId> parse_event_id(std::string_view text) {
  std::size_t dash = text.rfind('-');
  if (dash == std::string_view::npos || dash == 0 || text.size() > 64) return std::nullopt;
  EventId id{std::string(text.substr(0, dash)), 0};
  std::string_view number = text.substr(dash + 1);
  auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), id.number);
  if (error != std::errc() || end != number.data() + number.size()) return std::nullopt;
  return id;
}

std::string event_key(std::string_view session, std::string_view stream, std::uint64_t number) {
  std::string digits = std::to_string(number);
  return std::string(session) + "/" + std::string(stream) + "/" +
         std::string(12 - std::min<std::size_t>(12, digits.size()), '0') + digits;
}

net::HttpHeaders stream_headers() {
  return {{"Content-Type", "text/event-stream"}, {"Cache-Control", "no-cache"}, {"X-Accel-Buffering", "no"}};
}

EventStream::EventStream(Server& server, std::string session, std::string id, Json request_id, bool prime, std::uint64_t first)
    : server_(server),
      session_(std::move(session)),
      id_(std::move(id)),
      request_id_(std::move(request_id)),
      prime_(prime),
      next_(first),
      writes_(std::make_shared<Strand>(server.executor(), server.pool())) {}

void EventStream::attach(std::shared_ptr<net::HttpExchange> exchange) {
  exchange_ = std::move(exchange);
  exchange_->start_stream(200, stream_headers());
  if (!prime_) return;
  std::string text;
  net::append_sse(text, {id_ + "-" + std::to_string(next_ - 1), {}, {}, {}});
  exchange_->write(std::move(text));
}

void EventStream::resume(std::shared_ptr<net::HttpExchange> exchange, std::uint64_t after) {
  if (exchange_ && !exchange_->gone()) exchange_->end();  // each message goes to one connection: the newest
  exchange_ = std::move(exchange);
  exchange_->start_stream(200, stream_headers());
  for (const Event& event : sent_)
    if (event.number > after) deliver(event);
}

void EventStream::release() {
  if (!exchange_ || !prime_) return;  // without an event id the client could not come back
  std::string text;
  net::append_sse(text, {id_ + "-" + std::to_string(next_ - 1), {}, {}, static_cast<int>(kReconnectDelay.count())});
  exchange_->write(std::move(text));
  exchange_->end();
  exchange_ = nullptr;
}

void EventStream::hang_up() {
  finished_ = true;
  if (exchange_ && !exchange_->gone()) exchange_->end();
  exchange_ = nullptr;
}

void EventStream::push(std::string message) {
  if (!finished_) keep({next_++, std::move(message), false});
}

void EventStream::finish(std::string message) {
  if (finished_) return;
  finished_ = true;
  keep({next_++, std::move(message), true});
}

void EventStream::keep(Event event) {
  auto stored = std::make_shared<Event>(std::move(event));
  bool new_row = !std::exchange(row_kept_, true);
  Millis expires = server_.clock().now() + std::chrono::milliseconds(kEventLife).count();
  writes_->run(
      [self = shared_from_this(), stored, new_row, expires] {
        StateStore& store = self->server_.store();
        auto complain = [](const Result<void>& kept) {
          if (!kept) log(LogLevel::warn, "mcp", "an event cannot be resumed later: " + kept.error().message);
        };
        if (new_row)
          complain(
              store.put(kStreamArea, self->key(), JsonObject{{"request", self->request_id_}, {"owner", store.owner()}}, expires));
        complain(store.put(kEventArea, event_key(self->session_, self->id_, stored->number),
                           JsonObject{{"data", stored->data}, {"last", stored->last}}, expires));
        if (stored->number > kMaxEventsPerStream)
          complain(store.erase(kEventArea, event_key(self->session_, self->id_, stored->number - kMaxEventsPerStream)));
      },
      [self = shared_from_this(), stored] {
        self->sent_.push_back(*stored);
        if (self->sent_.size() > kMaxEventsPerStream) self->sent_.erase(self->sent_.begin());
        self->deliver(*stored);
      });
}

void EventStream::deliver(const Event& event) {
  if (!exchange_ || exchange_->gone()) return;
  std::string text;
  net::append_sse(text, {id_ + "-" + std::to_string(event.number), {}, event.data, {}});
  exchange_->write(std::move(text));
  if (!event.last) return;
  exchange_->end();
  exchange_ = nullptr;
}

}  // namespace holdfast::mcp
