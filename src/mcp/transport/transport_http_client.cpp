#include "mcp/transport/transport_http_client.h"

#include "base/run/backoff.h"
#include "base/run/lifeline.h"
#include "base/run/log.h"
#include "base/text/text.h"
#include "mcp/client/client_limits.h"
#include "mcp/wire/rpc.h"
#include "net/http/http_streams.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>

namespace holdfast::mcp {
namespace {

// One message and what comes back for it, over as many connections as that takes.
struct Exchange {
  RequestId id = 0;  // 0: nobody waits for an answer
  std::string method;
  bool modern = false;
  bool standalone = false;  // the stream that belongs to no request
  bool answered = false;
  bool worked = false;  // at least one connection was accepted
  int fruitless = 0;    // connections in a row that brought nothing
  StreamPlace place;
  std::optional<HttpAnswerReader> reader;  // of the connection under way
  net::HttpStreams::Id stream = 0;
  TimerId timer = 0;
  // Where requests need authorization: what is sent again when it was refused.
  net::HttpCall call;
  HttpAuthorizer::Turn turn = 0;
  int refusals = 0;
  bool waiting = false;  // for the authorizer
};
using ExchangePtr = std::shared_ptr<Exchange>;

// Servers built after the SDK's examples do not answer 404 to a session they have forgotten, but 400 with one of their own
// codes and, having read nothing, no id.
bool disowns_session(int status, const Json* body) {
  const JsonObject* object = body ? body->if_object() : nullptr;
  const JsonObject* error = object ? find_object(*object, "error") : nullptr;
  if (status != 400 || !error) return false;
  const Json* id = find(*object, "id");
  const auto code = find_int(*error, "code").value_or(0);
  return (!id || id->is_null()) && code <= -32000 && code >= -32019;
}

bool answers(const Json& value, RequestId id) {
  const JsonObject* object = value.if_object();
  return object && !object->contains("method") && find_int(*object, "id") == id;
}

class HttpClientTransport final : public ClientTransport {
 public:
  HttpClientTransport(net::EventLoop& loop, HttpEndpoint endpoint) : loop_(loop), endpoint_(std::move(endpoint)) {}
  ~HttpClientTransport() override {
    drop_all();
    loop_.cancel(goodbye_timer_);
  }

  Result<void> open(Listener& listener) override;
  Result<void> send(Outgoing message) override;
  void abandon(RequestId id) override;
  void agreed(Version version) override { version_ = version; }
  void close(Task done) override;
  bool is_http() const override { return true; }
  bool awaits_permission() const override {
    return std::ranges::any_of(exchanges_, [](const auto& entry) { return entry.second->waiting; });
  }
  std::uint64_t garbage() const override { return garbage_; }

 private:
  Result<void> post(Outgoing message);
  Result<void> begin(const ExchangePtr& exchange, net::HttpCall call);
  Result<void> start(const ExchangePtr& exchange, net::HttpCall call);
  Result<void> start_signed(const ExchangePtr& exchange);
  bool ask_permission(const ExchangePtr& exchange, const net::HttpAnswer& answer);
  void not_permitted(const ExchangePtr& exchange, Error why);
  net::HttpCall call_of(std::string method, bool with_session) const;
  void take_value(const ExchangePtr& exchange, Json value, int status);
  void ended(const ExchangePtr& exchange, Result<net::HttpAnswer> answer, bool reached);
  void refused(const ExchangePtr& exchange, const net::HttpAnswer& answer);
  void come_back(const ExchangePtr& exchange, const Error& why);
  void follow_stream(const ExchangePtr& exchange);
  void listen();
  void undelivered(const ExchangePtr& exchange, Undelivered why);
  void handshake_over();
  void lose(Error why);
  void drop(const ExchangePtr& exchange);
  void drop_all();
  void over();

  net::EventLoop& loop_;
  HttpEndpoint endpoint_;
  std::unique_ptr<net::HttpStreams> streams_;
  Listener* listener_ = nullptr;  // null once nothing more may be told
  std::map<Exchange*, ExchangePtr> exchanges_;
  std::optional<Version> version_;
  std::string session_;
  std::deque<Outgoing> held_;  // behind the end of the handshake
  bool holding_ = false;
  std::uint64_t garbage_ = 0;
  TimerId goodbye_timer_ = 0;
  Task closed_;
  Lifeline alive_;
};

Result<void> HttpClientTransport::open(Listener& listener) {
  HF_TRY(streams_, net::HttpStreams::make(loop_));
  listener_ = &listener;
  return {};
}

net::HttpCall HttpClientTransport::call_of(std::string method, bool with_session) const {
  net::HttpCall call;
  call.method = std::move(method);
  call.url = endpoint_.url;
  call.headers = endpoint_.headers;
  call.max_answer_bytes = kMaxIncomingBytes;
  call.follow_redirects = false;  // the headers may hold secrets, and are meant for this host
  if (!with_session) return call;
  if (!session_.empty()) call.headers.emplace_back("Mcp-Session-Id", session_);
  // Versions before 2025-06-18 do not know the header, and do not mind it.
  if (version_) call.headers.emplace_back("MCP-Protocol-Version", name_of(*version_));
  return call;
}

Result<void> HttpClientTransport::send(Outgoing message) {
  if (!listener_) return fail(ErrorKind::unavailable, "the connection to " + endpoint_.url + " is closed");
  if (holding_) {
    held_.push_back(std::move(message));
    return {};
  }
  holding_ = message.method == "notifications/initialized";
  return post(std::move(message));
}

Result<void> HttpClientTransport::post(Outgoing message) {
  auto exchange = std::make_shared<Exchange>();
  exchange->id = message.id;
  exchange->modern = !message.headers.empty();
  net::HttpCall call = call_of("POST", !exchange->modern && message.method != "initialize");
  call.headers.emplace_back("Content-Type", "application/json");
  call.headers.emplace_back("Accept", "application/json, text/event-stream");
  for (auto& header : message.headers) call.headers.push_back(std::move(header));
  call.body = std::move(message.text);
  exchange->method = std::move(message.method);
  return begin(exchange, std::move(call));
}

Result<void> HttpClientTransport::begin(const ExchangePtr& exchange, net::HttpCall call) {
  if (!endpoint_.authorizer) return start(exchange, std::move(call));
  exchange->call = std::move(call);
  if (endpoint_.authorizer->fresh()) return start_signed(exchange);
  exchanges_[exchange.get()] = exchange;
  endpoint_.authorizer->renew(alive_.guard([this, exchange](const Result<void>&) {
    if (!exchanges_.contains(exchange.get())) return;
    if (auto started = start_signed(exchange); !started) not_permitted(exchange, std::move(started).error());
  }));
  return {};
}

Result<void> HttpClientTransport::start_signed(const ExchangePtr& exchange) {
  net::HttpCall call = exchange->call;
  exchange->turn = endpoint_.authorizer->sign(call);
  return start(exchange, std::move(call));
}

// False: there is nobody to ask, or nothing to be got by it.
bool HttpClientTransport::ask_permission(const ExchangePtr& exchange, const net::HttpAnswer& answer) {
  if (!endpoint_.authorizer || exchange->refusals >= kMaxRefusals) return false;
  const auto done = alive_.guard([this, exchange](const Result<void>& permitted) {
    exchange->waiting = false;
    if (!exchanges_.contains(exchange.get())) return;
    auto started = permitted ? start_signed(exchange) : permitted;
    if (!started) not_permitted(exchange, std::move(started).error());
  });
  if (!endpoint_.authorizer->refused(exchange->turn, answer, done)) return false;
  ++exchange->refusals;
  exchange->waiting = true;
  return true;
}

// Why we have no token is not the server's answer to the request: no status.
void HttpClientTransport::not_permitted(const ExchangePtr& exchange, Error why) {
  const bool ends_handshake = exchange->method == "notifications/initialized";
  undelivered(exchange, {std::move(why).within(endpoint_.url), false, false, 0});
  if (ends_handshake) handshake_over();
}

Result<void> HttpClientTransport::start(const ExchangePtr& exchange, net::HttpCall call) {
  auto status = std::make_shared<int>(0);
  exchange->reader.emplace(exchange->place, [this, key = exchange.get(), status](Json value) {
    if (const auto found = exchanges_.find(key); found != exchanges_.end())
      take_value(ExchangePtr(found->second), std::move(value), *status);
  });
  net::HttpStreams::Events events;
  // The transport outlives its streams; the exchange is held as long as one of its events is delivered.
  events.on_body = [this, exchange, status](const net::HttpAnswer& head, std::string_view bytes) -> Result<void> {
    if (*status == 0 && endpoint_.authorizer) endpoint_.authorizer->heard(head);
    *status = head.status;
    if (exchange->method == "initialize") session_ = head.header("mcp-session-id");
    return exchange->reader->take(head, bytes);
  };
  events.on_end = [this, exchange, status](Result<net::HttpAnswer> answer, bool reached) {
    exchange->stream = 0;
    if (*status == 0 && answer && endpoint_.authorizer) endpoint_.authorizer->heard(*answer);
    ended(exchange, std::move(answer), reached);
  };
  HF_TRY(exchange->stream, streams_->start(std::move(call), std::move(events)));
  exchanges_[exchange.get()] = exchange;
  return {};
}

void HttpClientTransport::take_value(const ExchangePtr& exchange, Json value, int status) {
  exchange->fruitless = 0;
  exchange->refusals = 0;
  if (exchange->id != 0) {
    if (const JsonArray* batch = value.if_array()) {
      exchange->answered =
          exchange->answered || std::ranges::any_of(*batch, [&](const Json& item) { return answers(item, exchange->id); });
    } else {
      exchange->answered = exchange->answered || answers(value, exchange->id);
    }
  }
  if (listener_) listener_->on_message(std::move(value), status);
}

void HttpClientTransport::ended(const ExchangePtr& exchange, Result<net::HttpAnswer> answer, bool reached) {
  if (!exchanges_.contains(exchange.get())) return;
  garbage_ += exchange->reader->garbage();
  if (answer && (answer->status == 401 || answer->status == 403) && ask_permission(exchange, *answer)) return;
  // A stream without a single event is one, too.
  const bool streamed = exchange->reader->is_stream() || exchange->standalone ||
                        (answer && answer->header("content-type").starts_with("text/event-stream"));
  const bool ends_handshake = exchange->method == "notifications/initialized";
  exchange->worked = exchange->worked || (answer && answer->status < 300) || exchange->reader->is_stream();
  if (answer && (answer->status < 200 || answer->status > 299)) {
    refused(exchange, *answer);
  } else if (!answer && !exchange->standalone && exchange->place.last_event_id.empty()) {
    undelivered(exchange, {std::move(answer).error(), reached, false, 0});
  } else if (!answer || streamed) {
    if (exchange->answered || (exchange->id == 0 && !exchange->standalone)) {
      drop(exchange);
    } else {
      come_back(exchange, answer ? make_error(ErrorKind::unavailable, "the stream ended without the answer") : answer.error());
    }
  } else {
    if (exchange->method == "initialize") session_ = answer->header("mcp-session-id");
    auto read = exchange->reader->finish();
    if (exchange->id == 0 || exchange->answered)
      drop(exchange);
    else
      undelivered(exchange, {read ? make_error(ErrorKind::corrupt, "the server's answer does not answer the request")
                                  : std::move(read).error(),
                             true, false, answer->status});
  }
  if (ends_handshake) handshake_over();
}

// A status that says no. What the server says about it as JSON-RPC goes the way of all answers.
void HttpClientTransport::refused(const ExchangePtr& exchange, const net::HttpAnswer& answer) {
  const int status = answer.status;
  auto body = parse_json(answer.body);
  const bool in_session = !exchange->modern && !session_.empty() && version_;
  // Of a stand-alone stream that never was, 404 says only that there is none.
  const bool can_tell = !exchange->standalone || exchange->worked;
  if (in_session && can_tell && (status == 404 || disowns_session(status, body ? &*body : nullptr))) {
    undelivered(exchange, {make_error(ErrorKind::unavailable, "the server has ended the session"), false, true, status});
    return lose(make_error(ErrorKind::unavailable, endpoint_.url + ": the server has ended the session"));
  }
  if (exchange->standalone) return drop(exchange);  // 405: there is none
  if (JsonObject* error = body ? body->if_object() : nullptr; error && exchange->id != 0 && error->contains("error")) {
    const Json* id = find(*error, "id");
    if (!id || id->is_null()) (*error)["id"] = exchange->id;  // it could not be read; it is the one we sent
    if (answers(*body, exchange->id) && status != 401 && status != 403) {
      drop(exchange);
      if (listener_) listener_->on_message(*std::move(body), status);
      return;
    }
  }
  const bool not_allowed = status == 401 || status == 403;
  const ErrorKind kind = not_allowed ? ErrorKind::unauthorised : status >= 500 ? ErrorKind::unavailable : ErrorKind::refused;
  const std::string said(utf8_prefix(to_valid_utf8(trim(answer.body)), 300));
  undelivered(exchange, {make_error(kind, fmt::format("{} answered with HTTP status {}{}{}", endpoint_.url, status,
                                                      said.empty() ? "" : ": ", said)),
                         status >= 500, false, status});
}

// The stream broke, or was closed on purpose. The stand-alone one is opened again for ever, more slowly each time.
void HttpClientTransport::come_back(const ExchangePtr& exchange, const Error& why) {
  const bool can_resume = exchange->standalone || (!exchange->modern && !exchange->place.last_event_id.empty());
  const bool tired = !exchange->standalone && exchange->fruitless >= kMaxResumes;
  if (!can_resume || tired) return undelivered(exchange, {why, true, false, 0});
  const auto asked = exchange->place.retry.value_or(kResumeDelay);
  // The first return is when the server said; only after that it may be us who are too eager.
  const auto delay = std::max(asked, doubled(asked, static_cast<std::size_t>(exchange->fruitless), kLongestDelay));
  ++exchange->fruitless;
  exchange->timer = loop_.after(delay, [this, exchange] {
    exchange->timer = 0;
    follow_stream(exchange);
  });
}

void HttpClientTransport::follow_stream(const ExchangePtr& exchange) {
  net::HttpCall call = call_of("GET", true);
  call.headers.emplace_back("Accept", "text/event-stream");
  if (!exchange->place.last_event_id.empty()) call.headers.emplace_back("Last-Event-ID", exchange->place.last_event_id);
  if (auto begun = begin(exchange, std::move(call)); !begun) undelivered(exchange, {begun.error(), true, false, 0});
}

void HttpClientTransport::listen() {
  auto exchange = std::make_shared<Exchange>();
  exchange->standalone = true;
  follow_stream(exchange);
}

void HttpClientTransport::handshake_over() {
  holding_ = false;
  if (!listener_) return;
  for (Outgoing& message : std::exchange(held_, {})) {
    const RequestId id = message.id;
    if (auto sent = post(std::move(message)); !sent && id != 0) listener_->on_undelivered(id, {sent.error(), false, false, 0});
    if (!listener_) return;
  }
  if (endpoint_.listen) listen();
}

void HttpClientTransport::undelivered(const ExchangePtr& exchange, Undelivered why) {
  drop(exchange);
  if (exchange->id == 0 && !why.again) log(LogLevel::debug, "mcp", exchange->method + " was not taken: " + why.error.message);
  if (exchange->id != 0 && listener_) listener_->on_undelivered(exchange->id, std::move(why));
}

void HttpClientTransport::lose(Error why) {
  if (Listener* listener = std::exchange(listener_, nullptr)) listener->on_lost(std::move(why));
}

void HttpClientTransport::drop(const ExchangePtr& exchange) {
  streams_->stop(std::exchange(exchange->stream, 0));
  loop_.cancel(std::exchange(exchange->timer, 0));
  exchanges_.erase(exchange.get());
}

void HttpClientTransport::drop_all() {
  for (const auto& [key, exchange] : std::map(exchanges_)) drop(exchange);
}

void HttpClientTransport::abandon(RequestId id) {
  std::erase_if(held_, [&](const Outgoing& message) { return message.id == id; });
  for (const auto& [key, exchange] : exchanges_)
    if (exchange->id == id) return drop(ExchangePtr(exchange));
}

void HttpClientTransport::close(Task done) {
  listener_ = nullptr;
  // What was just given to us (an answer, a cancellation) is still on its way; only who waits for something is dropped.
  for (const auto& [key, exchange] : std::map(exchanges_))
    if (exchange->id != 0 || exchange->standalone) drop(exchange);
  const bool has_session = !session_.empty() && version_ && era_of(*version_) == Era::legacy;
  if (!has_session) return loop_.post(std::move(done));
  closed_ = std::move(done);
  net::HttpStreams::Events events;
  events.on_end = [this](Result<net::HttpAnswer>, bool) { over(); };
  net::HttpCall goodbye = call_of("DELETE", true);
  if (endpoint_.authorizer) endpoint_.authorizer->sign(goodbye);
  if (!streams_->start(std::move(goodbye), std::move(events))) return over();
  goodbye_timer_ = loop_.after(kGoodbye, [this] { over(); });
}

void HttpClientTransport::over() {
  loop_.cancel(std::exchange(goodbye_timer_, 0));
  if (closed_) loop_.post(std::exchange(closed_, nullptr));
}

}  // namespace

HttpAnswerReader::HttpAnswerReader(StreamPlace& place, std::function<void(Json)> on_value)
    : place_(place),
      on_value_(std::move(on_value)),
      parser_([this](net::SseEvent event) { take_event(std::move(event)); }, kMaxIncomingBytes) {}

Result<void> HttpAnswerReader::take(const net::HttpAnswer& head, std::string_view bytes) {
  if (form_ == Form::unknown) {
    const std::string type = to_ascii_lower(head.header("content-type").substr(0, 64));
    form_ = trim(std::string_view(type).substr(0, type.find(';'))) == "text/event-stream" ? Form::stream : Form::text;
  }
  const bool fits = form_ == Form::stream ? parser_.feed(bytes) : text_.size() + bytes.size() <= kMaxIncomingBytes;
  if (!fits) return fail(ErrorKind::too_large, fmt::format("the server sent a message of more than {} bytes", kMaxIncomingBytes));
  if (form_ == Form::text) text_ += bytes;
  return {};
}

void HttpAnswerReader::take_event(net::SseEvent event) {
  if (!event.id.empty()) place_.last_event_id = std::move(event.id);
  if (event.retry_ms) place_.retry = std::chrono::milliseconds(*event.retry_ms);
  if (event.data.empty() || !(event.event.empty() || event.event == "message")) return;
  ++events_;
  auto value = parse_incoming(event.data, "a server");
  if (value) return on_value_(*std::move(value));
  ++garbage_;
  log(LogLevel::debug, "mcp", fmt::format("an event of a server is no message: {}", utf8_prefix(event.data, 200)));
}

Result<void> HttpAnswerReader::finish() {
  if (form_ != Form::text || trim(text_).empty()) return {};
  auto value = parse_incoming(std::exchange(text_, {}), "a server");
  if (!value) return fail(ErrorKind::corrupt, "the server's answer is not JSON: " + value.error().message);
  on_value_(*std::move(value));
  return {};
}

TransportMaker http_transport_maker(net::EventLoop& loop, HttpEndpoint endpoint) {
  return [&loop, endpoint = std::move(endpoint)]() -> Result<std::unique_ptr<ClientTransport>> {
    return std::make_unique<HttpClientTransport>(loop, endpoint);
  };
}

}  // namespace holdfast::mcp
