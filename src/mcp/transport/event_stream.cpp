#include "mcp/transport/event_stream.h"

#include "base/run/log.h"
#include "mcp/wire/limits.h"
#include "net/http/sse.h"

#include <cctype>
#include <charconv>

namespace holdfast::mcp {

namespace {
constexpr std::size_t kMaxStreamName = 32;  // ours have 11 characters
constexpr std::size_t kNumberDigits = 12;   // fixed in keys, so that they sort; no stream lives for 10^12 events
}  // namespace

std::optional<EventId> parse_event_id(std::string_view text) {
  std::size_t dash = text.find('-');
  if (dash == std::string_view::npos || dash == 0 || dash > kMaxStreamName) return std::nullopt;
  std::string_view stream = text.substr(0, dash), number = text.substr(dash + 1);
  if (stream.front() != 'p' && stream.front() != 'g') return std::nullopt;
  for (char c : stream)
    if (!std::isalnum(static_cast<unsigned char>(c))) return std::nullopt;
  EventId id{std::string(stream), 0};
  auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), id.number);
  if (error != std::errc() || end != number.data() + number.size() || number.size() > kNumberDigits) return std::nullopt;
  return id;
}

std::string event_key(std::string_view session, std::string_view stream, std::uint64_t number) {
  std::string digits = std::to_string(number);
  return std::string(session) + "/" + std::string(stream) + "/" +
         std::string(kNumberDigits - std::min(kNumberDigits, digits.size()), '0') + digits;
}

std::uint64_t event_number(std::string_view key) {
  std::uint64_t number = 0;
  std::string_view digits = key.substr(key.rfind('/') + 1);
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return number;
}

bool is_standalone(std::string_view stream) {
  return stream.starts_with('g');
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
      stored_(first - 1),
      writes_(std::make_shared<Strand>(server.executor(), server.pool())) {}

void EventStream::attach(std::shared_ptr<net::HttpExchange> exchange) {
  exchange_ = std::move(exchange);
  exchange_->start_stream(200, stream_headers());
  primed_ = false;
  if (is_standalone(id_)) prime();  // it goes on anywhere, also when nothing of it is stored
}

// The empty event that lets a client come back: it is sent once there is something to come back to.
void EventStream::prime() {
  if (!prime_ || std::exchange(primed_, true) || !has_client()) return;
  std::string text;
  net::append_sse(text, {id_ + "-" + std::to_string(stored_), {}, {}, {}});
  exchange_->write(std::move(text));
}

void EventStream::resume(std::shared_ptr<net::HttpExchange> exchange, std::uint64_t after) {
  if (has_client()) exchange_->end();  // each message goes to one connection: the newest
  exchange_ = std::move(exchange);
  primed_ = true;  // it came back
  exchange_->start_stream(200, stream_headers());
  for (const Event& event : sent_)
    if (event.number > after) deliver(event);
  if (!has_client() || sent_.empty() || !sent_.back().last) return;
  exchange_->end();  // the client has everything already
  exchange_ = nullptr;
}

void EventStream::release() {
  if (!exchange_ || !prime_) return;  // without an event id the client could not come back
  writes_->run(
      [self = shared_from_this(), expires = server_.clock().now() + 2 * std::chrono::milliseconds(kEventLife).count()] {
        StateStore& store = self->server_.store();
        auto kept = store.change([&](StateTransaction& change) -> Result<void> {
          HF_TRY(auto row, change.get(kStreamArea, self->key()));
          if (row) return {};
          return change.put(kStreamArea, self->key(), self->row(store.owner(), false), expires);
        });
        if (!kept) log(LogLevel::warn, "mcp", "a stream cannot be resumed elsewhere: " + kept.error().message);
      },
      [self = shared_from_this()] { self->let_go(); });
}

JsonObject EventStream::row(const std::string& owner, bool followed) const {
  return {{"request", request_id_}, {"owner", owner}, {"followed", followed}};
}

void EventStream::let_go() {
  if (!has_client()) return;
  prime();
  std::string text;
  // Events that are still on their way to the store have not been sent: the client must not be told it has them.
  net::append_sse(text, {id_ + "-" + std::to_string(stored_), {}, {}, static_cast<int>(kReconnectDelay.count())});
  exchange_->write(std::move(text));
  exchange_->end();
  exchange_ = nullptr;
}

void EventStream::hang_up() {
  finished_ = hung_up_ = true;
  if (has_client()) exchange_->end();
  exchange_ = nullptr;
}

void EventStream::go_on(std::shared_ptr<net::HttpExchange> exchange, std::uint64_t next) {
  exchange_ = std::move(exchange);
  primed_ = true;  // it came back
  next_ = next;
  stored_ = next - 1;
  for (std::string& message : std::exchange(held_, std::nullopt).value_or(std::vector<std::string>())) push(std::move(message));
}

void EventStream::push(std::string message) {
  if (finished_) return;
  if (held_) {
    if (held_->size() < kMaxEventsPerStream) held_->push_back(std::move(message));
    return;
  }
  if (next_ - stored_ > kMaxEventsPerStream)
    return log(LogLevel::warn, "mcp", "a stream grows faster than it can be stored; a message was left out");
  keep({next_++, std::move(message), false});
}

void EventStream::finish(std::string message) {
  if (finished_) return;
  finished_ = true;
  keep({next_++, std::move(message), true});
}

void EventStream::keep(Event event) {
  auto stored = std::make_shared<Event>(std::move(event));
  auto taken = std::make_shared<bool>(false);
  // The row must outlive the events of a running stream, and is not worth a write for each of them; it goes with
  // the last one.
  Millis life = std::chrono::milliseconds(kEventLife).count();
  Millis expires = server_.clock().now() + life;
  bool write_row = row_until_ < expires || stored->last;
  if (write_row) row_until_ = stored->last ? expires : expires + life;
  writes_->run(
      [self = shared_from_this(), stored, taken, write_row, row_until = row_until_, expires] {
        StateStore& store = self->server_.store();
        std::string owner = store.owner();
        auto kept = store.change([&](StateTransaction& change) -> Result<void> {
          *taken = false;
          HF_TRY(auto row, change.get(kStreamArea, self->key()));
          const JsonObject* fields = row ? row->if_object() : nullptr;
          if (fields && find_string(*fields, "owner") != owner) {
            *taken = true;
            return {};
          }
          bool followed = fields && find_bool(*fields, "followed").value_or(false);
          if (write_row || !fields) HF_CHECK(change.put(kStreamArea, self->key(), self->row(owner, followed), row_until));
          if (followed) change.wake();
          HF_CHECK(change.put(kEventArea, event_key(self->session_, self->id_, stored->number),
                              JsonObject{{"data", stored->data}, {"last", stored->last}}, expires));
          if (stored->number > kMaxEventsPerStream)
            HF_CHECK(change.erase(kEventArea, event_key(self->session_, self->id_, stored->number - kMaxEventsPerStream)));
          return {};
        });
        if (!kept) log(LogLevel::warn, "mcp", "an event cannot be resumed later: " + kept.error().message);
      },
      [self = shared_from_this(), stored, taken] {
        if (!*taken) self->prime();
        if (*taken) return self->hang_up();  // the client has resumed it at another process, which goes on with the numbers
        self->stored_ = stored->number;
        self->sent_.push_back(*stored);
        if (self->sent_.size() > kMaxEventsPerStream) self->sent_.pop_front();
        self->deliver(*stored);
      });
}

void EventStream::deliver(const Event& event) {
  if (!has_client()) return;
  if (!event.data.empty()) {
    std::string text;
    net::append_sse(text, {id_ + "-" + std::to_string(event.number), {}, event.data, {}});
    exchange_->write(std::move(text));
  }
  if (!event.last) return;
  exchange_->end();
  exchange_ = nullptr;
}

}  // namespace holdfast::mcp
