// MCP over HTTP, from a request that the gateway has let pass to its answer.
//
// POST brings a message, GET listens (or goes on with a stream that broke), DELETE ends a legacy session. The answer to a POST is
// one JSON body; only when something has to be sent before it does it become an event stream.
//
// The body says which era a message belongs to, and this is decided first (on_post), because all else differs. A modern request
// describes itself: its headers must repeat what the body says, nothing is remembered, and a client that closes the connection
// has cancelled (ModernOutlet). A legacy message belongs to a session, which is looked up before anything is done, in the store
// when another process has opened it; a connection that breaks cancels nothing, because the client may come back for the events
// (LegacyOutlet). What is wrong with a message is found before the server sees it: a refused request has begun nothing.
//
// A stream that is resumed lives in this process, or it is taken over from the store. A stand-alone stream is taken in the store
// before we listen: the other way round, what its former process sends meanwhile would be lost. The stream of a request that runs
// in another process is read again whenever that process wakes us, until it is over or the client has gone.

#include "mcp/transport/transport_http.h"

#include "base/ids.h"
#include "base/text/text.h"
#include "mcp/wire/batch.h"
#include "mcp/wire/header_rules.h"
#include "mcp/wire/limits.h"
#include "mcp/wire/rpc.h"
#include "net/http/sse.h"

#include <string_view>

namespace holdfast::mcp {
namespace {

// A JSON body, or none when it is empty.
void answer(net::HttpExchange& exchange, int status, std::string body, net::HttpHeaders headers = {}) {
  if (!body.empty()) headers.emplace_back("Content-Type", "application/json");
  exchange.respond({status, std::move(headers), std::move(body)});
}

// An error of ours; a null id is left out.
void refuse(net::HttpExchange& exchange, int status, const Json& id, const RpcError& error) {
  answer(exchange, status, write_error(id, error));
}

// Whether Accept allows this type. No Accept, and the wildcards that tools send, allow everything.
bool accepts(const net::HttpRequest& request, std::string_view type) {
  std::string family(type.substr(0, type.find('/')));
  bool present = false;
  // The list may be spread over several headers.
  for (const auto& [name, value] : request.headers) {
    if (!equal_ignoring_ascii_case(name, "Accept")) continue;
    present = true;
    std::string accepted = to_ascii_lower(value);
    if (accepted.contains(type) || accepted.contains("*/*") || accepted.contains(family + "/*")) return true;
  }
  return !present;
}

bool is_json(const net::HttpRequest& request) {
  const std::string* type = request.header("Content-Type");
  if (!type) return false;
  std::string_view media = trim(std::string_view(*type).substr(0, type->find(';')));
  return equal_ignoring_ascii_case(media, "application/json");
}

bool claims_modern(const JsonObject& message) {
  const JsonObject* params = find_object(message, "params");
  return params && Server::claims_modern(*params);
}

// A header that is there twice could mean one thing to us and another to what stands in front of us.
bool is_repeated(const net::HttpRequest& request, std::string_view name) {
  return std::ranges::count_if(request.headers, [&](const auto& h) { return equal_ignoring_ascii_case(h.first, name); }) > 1;
}

// mcp-protocol §5, steps 5 to 8: what the headers repeat must be what the body says.
std::optional<RpcError> check_headers(const net::HttpRequest& request, const Message& message, const std::string& version) {
  auto mismatch = [](std::string text) { return RpcError{code::kHeaderMismatch, std::move(text), nullptr}; };
  for (const char* name : {"MCP-Protocol-Version", "Mcp-Method", "Mcp-Name"})
    if (is_repeated(request, name)) return mismatch("header " + std::string(name) + " must not be repeated");
  const std::string* header = request.header("MCP-Protocol-Version");
  if (!header) return mismatch("header MCP-Protocol-Version is missing");
  if (*header != version) return mismatch("header MCP-Protocol-Version differs from the version in params._meta");
  if (auto error = Server::check_modern_version(version)) return error;
  header = request.header("Mcp-Method");
  if (!header) return mismatch("header Mcp-Method is missing");
  if (*header != message.method) return mismatch("header Mcp-Method differs from the method in the body");
  std::string_view member = named_member(message.method);
  if (member.empty()) return std::nullopt;
  header = request.header("Mcp-Name");
  if (!header) return mismatch("header Mcp-Name is missing");
  auto name = decode_header_value(*header);
  if (!name) return mismatch("header Mcp-Name is not valid base64");
  if (find_string(message.params, member) != *name)
    return mismatch("header Mcp-Name differs from params." + std::string(member) + " in the body");
  return std::nullopt;
}

// A stream as another process, or an earlier one, has left it in the store.
struct KeptStream {
  std::optional<JsonObject> row;
  std::vector<StoredState> events;  // that the client has not seen
  bool owner_lives = false;
  bool seen_all = false;  // the last event the client has is the last of the stream
};

// Pool thread. A stand-alone stream is ours from now on: its former owner can add nothing that we have not read. Of the stream
// of a request that runs elsewhere we want to hear.
Result<KeptStream> read_stream(StateStore& store, const std::string& session, const EventId& last_seen, Millis until) {
  std::string name = session + "/" + last_seen.stream;
  std::string seen_key = event_key(session, last_seen.stream, last_seen.number);
  HF_TRY(auto row, store.get(kStreamArea, name));
  if (!row || !row->is_object()) return KeptStream{};
  bool ours = find_string(row->get_object(), "owner") == store.owner();
  bool followed = find_bool(row->get_object(), "followed").value_or(false);
  if (!ours && (is_standalone(last_seen.stream) || !followed)) {
    HF_CHECK(store.change([&](StateTransaction& change) -> Result<void> {
      HF_TRY(row, change.get(kStreamArea, name));
      if (!row || !row->is_object()) return {};
      if (is_standalone(last_seen.stream))
        row->get_object()["owner"] = store.owner();
      else
        row->get_object()["followed"] = true;
      return change.put(kStreamArea, name, *row, until);
    }));
    if (!row || !row->is_object()) return KeptStream{};
  }
  KeptStream kept;
  kept.row = std::move(row->get_object());
  HF_TRY(kept.events, store.list(kEventArea, name + "/", seen_key, kMaxEventsPerStream));
  HF_TRY(auto seen, store.get(kEventArea, seen_key));
  if (seen && seen->is_object()) kept.seen_all = find_bool(seen->get_object(), "last").value_or(false);
  kept.owner_lives = store.is_alive(find_string(*kept.row, "owner").value_or(""));
  return kept;
}

// Writes what the client has not seen, and moves last_seen there. Whether that was the end of the stream.
bool replay(net::HttpExchange& exchange, const KeptStream& kept, EventId& last_seen) {
  bool last = kept.seen_all;
  std::string text;
  for (const StoredState& event : kept.events) {
    const JsonObject* fields = event.value.if_object();
    if (!fields) continue;
    last_seen.number = event_number(event.key);
    last = find_bool(*fields, "last").value_or(false);
    std::string data(find_string(*fields, "data").value_or(""));
    if (data.empty()) continue;
    net::append_sse(text, {last_seen.stream + "-" + std::to_string(last_seen.number), {}, std::move(data), {}});
  }
  if (!last && !is_standalone(last_seen.stream) && !kept.owner_lives) {
    const Json* request = find(*kept.row, "request");
    RpcError error{code::kInternal, "the server was restarted while this request was running; make the call again", nullptr};
    net::append_sse(text, {{}, {}, write_error(request ? *request : Json(), error), {}});
    last = true;
  }
  if (!text.empty()) exchange.write(std::move(text));
  return last;
}

}  // namespace

// ---- where answers go ----

// A modern answer: one JSON object, or a stream of this request alone once something precedes the answer.
class HttpTransport::ModernOutlet final : public Outlet {
 public:
  explicit ModernOutlet(Exchange exchange)
      : exchange_(std::move(exchange)), can_stream_(accepts(exchange_->request(), "text/event-stream")) {}

  void send(std::string message) override {
    if (!can_stream_ || done_) return;  // a client that takes only JSON gets the answer alone
    if (!std::exchange(streaming_, true)) exchange_->start_stream(200, stream_headers());
    write(message);
  }

  void finish(std::string response, int http_status) override {
    if (std::exchange(done_, true)) return;
    if (!streaming_) return answer(*exchange_, http_status, std::move(response));
    write(response);
    exchange_->end();
  }

  void drop() override {
    if (std::exchange(done_, true)) return;
    if (streaming_) exchange_->end();
  }

  bool done() const { return done_; }

 private:
  void write(const std::string& message) {
    std::string text;
    net::append_sse(text, {{}, {}, message, {}});
    exchange_->write(std::move(text));
  }

  Exchange exchange_;
  bool can_stream_, streaming_ = false, done_ = false;
};

// A legacy answer: JSON, or a resumable stream once something precedes the answer.
class HttpTransport::LegacyOutlet final : public Outlet {
 public:
  LegacyOutlet(HttpTransport& transport, std::shared_ptr<Connection> connection, Exchange exchange, Json request_id)
      : transport_(transport),
        connection_(std::move(connection)),
        exchange_(std::move(exchange)),
        request_id_(std::move(request_id)) {}

  void send(std::string message) override {
    if (!done_) stream().push(std::move(message));
  }

  void finish(std::string response, int http_status) override {
    if (std::exchange(done_, true)) return;
    if (stream_) return stream_->finish(std::move(response));
    answer(*exchange_, http_status, std::move(response));
  }

  void drop() override {
    if (std::exchange(done_, true)) return;
    // The client asked for no answer, but its POST must end somehow.
    if (!stream_) return answer(*exchange_, 202, {});
    stream_->finish({});
  }

  void release_connection() override {
    if (!done_) stream().release();
  }

 private:
  EventStream& stream() {
    if (!stream_) {
      bool prime = connection_->handshake->version >= Version::v2025_11_25;
      stream_ = std::make_shared<EventStream>(transport_.server_, connection_->key, "p" + random_base62(10), request_id_, prime);
      transport_.track(stream_);
      stream_->attach(exchange_);
    }
    return *stream_;
  }

  HttpTransport& transport_;
  std::shared_ptr<Connection> connection_;
  Exchange exchange_;
  Json request_id_;
  std::shared_ptr<EventStream> stream_;
  bool done_ = false;
};

HttpTransport::HttpTransport(Server& server) : server_(server), sessions_(server) {
  server_.mailbox().on("answer", [this](const JsonObject& message) {
    auto connection = sessions_.known(std::string(find_string(message, "session").value_or("")));
    const Json* response = find(message, "response");
    if (!connection || !response) return;
    auto answer = read_message(*response);
    if (answer && answer->kind == Message::Kind::response) server_.take_response(*answer, *connection);
  });
  server_.mailbox().on("cancelled", [this](const JsonObject& message) {
    auto connection = sessions_.known(std::string(find_string(message, "session").value_or("")));
    if (const Json* id = find(message, "requestId"); id && connection) server_.cancel_request(*id, *connection);
  });
  server_.mailbox().join_soon();
}

HttpTransport::~HttpTransport() {
  sessions_.end_all();  // may still write to streams
  for (auto& [key, known] : streams_)
    if (auto stream = known.lock()) stream->abandon();
}

void HttpTransport::handle(Exchange exchange, const Identity& identity) {
  if (refuses(exchange, identity, nullptr, Scope::read)) return;
  const std::string& method = exchange->request().method;
  if (method == "POST") return on_post(exchange, identity);
  if (method == "GET") return on_get(exchange, identity);
  if (method == "DELETE") return on_delete(exchange, identity);
  answer(*exchange, 405, {}, {{"Allow", "POST, GET, DELETE"}});
}

bool HttpTransport::refuses(const Exchange& exchange, const Identity& identity, const Json& request_id, Scope needed) const {
  if (identity.scopes.has(needed)) return false;
  const Error error = missing_scope(needed);
  std::string challenge = challenge_
                              ? challenge_(needed)
                              : "Bearer error=\"insufficient_scope\", scope=\"" + std::string(holdfast::name_of(needed)) + "\"";
  answer(*exchange, 403, write_error(request_id, {code::kInvalidRequest, error.message, nullptr}),
         {{"WWW-Authenticate", std::move(challenge)}});
  return true;
}

void HttpTransport::on_post(const Exchange& exchange, const Identity& identity) {
  const net::HttpRequest& request = exchange->request();
  if (!is_json(request))
    return refuse(*exchange, 415, nullptr, {code::kInvalidRequest, "Content-Type must be application/json", nullptr});
  // The exchange may live as long as a stream; the body need not.
  auto value = parse_json(std::exchange(exchange->request().body, {}));
  if (!value) return refuse(*exchange, 400, nullptr, {code::kParse, value.error().message, nullptr});
  if (value->is_array()) return legacy_batch(exchange, identity, std::move(value->get_array()));

  bool modern = value->is_object() && claims_modern(value->get_object());
  if (!modern) {
    const std::string* header = request.header("MCP-Protocol-Version");
    auto version = header ? version_named(*header) : std::nullopt;
    modern = version && era_of(*version) == Era::modern;
  }
  auto message = read_message(std::move(*value));
  if (!message) return refuse(*exchange, 400, message.error().id, message.error().error);
  if (modern && message->kind == Message::Kind::request) return modern_request(exchange, identity, std::move(*message));
  if (modern && message->kind == Message::Kind::notification) return answer(*exchange, 202, {});
  if (message->kind == Message::Kind::request && message->method == "initialize") return initialize(exchange, identity, *message);
  legacy_message(exchange, identity, std::move(*message));
}

// ---- modern ----

void HttpTransport::modern_request(const Exchange& exchange, const Identity& identity, Message message) {
  std::string version;
  auto caller = Server::read_envelope(message, Transport::http, identity, version);
  if (!caller) return refuse(*exchange, 400, message.id, caller.error());
  if (auto error = check_headers(exchange->request(), message, version))
    return refuse(*exchange, 400, message.id, std::move(*error));
  if (message.method == "tools/call") {
    static const JsonObject kNone;
    const JsonObject* arguments = find_object(message.params, "arguments");
    if (const auto* rules = server_.header_rules_of(find_string(message.params, "name").value_or(""))) {
      auto find_header = [&](std::string_view name) { return exchange->request().header(name); };
      if (auto error = check_param_headers(*rules, arguments ? *arguments : kNone, find_header))
        return refuse(*exchange, 400, message.id, std::move(*error));
    }
  }
  if (refuses(exchange, identity, message.id, server_.scope_needed(message))) return;
  if (message.method == "subscriptions/listen" && !accepts(exchange->request(), "text/event-stream"))
    return refuse(*exchange, 406, message.id,
                  {code::kInvalidRequest, "a subscription is a stream: Accept must list text/event-stream", nullptr});
  auto outlet = std::make_shared<ModernOutlet>(exchange);
  Server::Started started = server_.handle_modern(std::move(message), std::move(*caller), nullptr, outlet);
  if (outlet->done()) return;
  // The client closing the stream is the cancellation.
  exchange->on_gone([this, run = started.run, subscription = started.subscription] {
    if (run) run->cancel();
    if (subscription != 0) server_.close_subscription(subscription);
  });
}

// ---- legacy ----

void HttpTransport::initialize(const Exchange& exchange, const Identity& identity, const Message& message) {
  auto handshake = server_.handshake(message, Transport::http, identity, {});
  if (!handshake) return refuse(*exchange, 200, message.id, handshake.error());
  sessions_.open(*handshake, [exchange, id = message.id, result = handshake->result](auto opened) {
    if (!opened) return refuse(*exchange, 503, id, to_rpc_error(opened.error()));
    answer(*exchange, 200, write_result(id, result), {{"Mcp-Session-Id", (*opened)->key}});
  });
}

void HttpTransport::with_session(const Exchange& exchange, const Identity& identity, const Json& request_id,
                                 std::function<void(std::shared_ptr<Connection>)> then) {
  const net::HttpRequest& request = exchange->request();
  const std::string* id = request.header("Mcp-Session-Id");
  if (!id)
    return refuse(
        *exchange, 400, request_id,
        {code::kInvalidRequest, "header Mcp-Session-Id is missing: initialize first, or use the 2026-07-28 envelope", nullptr});
  if (const std::string* version = request.header("MCP-Protocol-Version")) {
    auto known = version_named(*version);
    if (!known || era_of(*known) != Era::legacy)
      return refuse(
          *exchange, 400, request_id,
          {code::kInvalidRequest,
           "unsupported MCP-Protocol-Version " + *version + "; send the version initialize has answered with", nullptr});
  }
  sessions_.find(*id, identity, [exchange, request_id, then = std::move(then)](auto found) {
    if (found) return then(std::move(*found));
    bool unknown = found.error().kind == ErrorKind::not_found;
    refuse(*exchange, unknown ? 404 : 503, request_id,
           {unknown ? code::kInvalidRequest : code::kInternal, found.error().message, nullptr});
  });
}

void HttpTransport::legacy_message(const Exchange& exchange, const Identity& identity, Message message) {
  // Only a request of the client's has an id that an error may name.
  Json id = message.kind == Message::Kind::request ? message.id : Json();
  if (!accepts(exchange->request(), "application/json") || !accepts(exchange->request(), "text/event-stream"))
    return refuse(*exchange, 406, id,
                  {code::kInvalidRequest, "Accept must list application/json and text/event-stream", nullptr});
  if (message.kind == Message::Kind::request && refuses(exchange, identity, id, server_.scope_needed(message))) return;
  auto shared = std::make_shared<Message>(std::move(message));
  with_session(exchange, identity, id, [this, exchange, shared](std::shared_ptr<Connection> connection) {
    switch (shared->kind) {
      case Message::Kind::response:
        return take_response(*shared, connection, [exchange](Result<void> taken) {
          if (!taken) return refuse(*exchange, 503, nullptr, to_rpc_error(taken.error()));
          answer(*exchange, 202, {});
        });
      case Message::Kind::notification:
        server_.take_notification(*shared, *connection);
        return answer(*exchange, 202, {});
      case Message::Kind::request:
        break;
    }
    auto outlet = std::make_shared<LegacyOutlet>(*this, connection, exchange, shared->id);
    server_.handle_legacy(std::move(*shared), connection, std::move(outlet));
  });
}

// The question may have been another process's.
void HttpTransport::take_response(const Message& response, const std::shared_ptr<Connection>& connection,
                                  std::function<void(Result<void>)> taken) {
  if (server_.take_response(response, *connection)) return taken({});
  auto asker = response.id.is_string() ? asker_of(view(response.id.get_string())) : std::nullopt;
  if (!asker || *asker == server_.store().address()) return taken({});
  JsonObject message{{"jsonrpc", "2.0"}, {"id", response.id}};
  if (response.is_error)
    message["error"] = JsonObject{{"code", response.error.code}, {"message", response.error.message}};
  else
    message["result"] = response.result;
  server_.mailbox().send(*asker, "answer", {{"session", connection->key}, {"response", std::move(message)}},
                         [taken = std::move(taken)](Result<void> sent) {
                           // Who asked has gone, and with it the question.
                           if (!sent && sent.error().kind == ErrorKind::not_found) return taken({});
                           taken(sent);
                         });
}

void HttpTransport::legacy_batch(const Exchange& exchange, const Identity& identity, JsonArray messages) {
  auto refuse_batch = [exchange](std::string why) {
    refuse(*exchange, 400, nullptr, {code::kInvalidRequest, std::move(why), nullptr});
  };
  for (const Json& message : messages)
    if (message.is_object() && claims_modern(message.get_object())) return refuse_batch("protocol 2026-07-28 has no batches");
  if (messages.empty() || messages.size() > kMaxBatch)
    return refuse_batch("a batch has 1 to " + std::to_string(kMaxBatch) + " messages");
  auto shared = std::make_shared<JsonArray>(std::move(messages));
  with_session(exchange, identity, nullptr, [this, exchange, shared, refuse_batch](std::shared_ptr<Connection> connection) {
    if (connection->handshake->version != Version::v2025_03_26) return refuse_batch("batches exist only in protocol 2025-03-26");
    // What precedes the answers needs a stream; a batch is rare enough to get one only then.
    auto outlet = std::make_shared<LegacyOutlet>(*this, connection, exchange, nullptr);
    auto batch = std::make_shared<Batch>([outlet](std::string message) { outlet->send(std::move(message)); },
                                         [outlet](std::string responses) {
                                           if (responses.empty()) return outlet->drop();
                                           outlet->finish(std::move(responses), 200);
                                         });
    for (Json& value : *shared) {
      auto message = read_message(std::move(value));
      if (!message) {
        if (!message.error().is_notification) batch->add_response(write_error(message.error().id, message.error().error));
      } else if (message->kind == Message::Kind::notification)
        server_.take_notification(*message, *connection);
      else if (message->kind == Message::Kind::response)
        take_response(*message, connection, [](Result<void>) {});
      else if (message->method == "initialize")
        batch->add_response(write_error(message->id, {code::kInvalidRequest, "initialize must not be in a batch", nullptr}));
      else
        server_.handle_legacy(std::move(*message), connection, batch->add_part());
    }
    batch->seal();
  });
}

void HttpTransport::on_delete(const Exchange& exchange, const Identity& identity) {
  with_session(exchange, identity, nullptr, [this, exchange](std::shared_ptr<Connection> connection) {
    sessions_.close(connection->key, [exchange](Result<void> closed) {
      if (!closed) return refuse(*exchange, 503, nullptr, to_rpc_error(closed.error()));
      answer(*exchange, 200, {});
    });
  });
}

void HttpTransport::on_get(const Exchange& exchange, const Identity& identity) {
  if (!accepts(exchange->request(), "text/event-stream"))
    return refuse(*exchange, 406, nullptr, {code::kInvalidRequest, "Accept must list text/event-stream", nullptr});
  with_session(exchange, identity, nullptr, [this, exchange](std::shared_ptr<Connection> connection) {
    const std::string* last = exchange->request().header("Last-Event-ID");
    if (!last) return open_standalone(exchange, connection);
    auto event = parse_event_id(*last);
    if (!event)
      return refuse(*exchange, 400, nullptr, {code::kInvalidRequest, "Last-Event-ID is not an id of this server", nullptr});
    resume(exchange, connection, std::move(*event));
  });
}

void HttpTransport::open_standalone(const Exchange& exchange, const std::shared_ptr<Connection>& connection) {
  take_standalone(exchange, connection,
                  [this, exchange, connection] { bind_standalone(connection, "g" + random_base62(10), 1)->attach(exchange); });
}

// What is bound before the store names this process would be ended by the message of an earlier one.
void HttpTransport::take_standalone(const Exchange& exchange, const std::shared_ptr<Connection>& connection, Task then) {
  sessions_.take_stream(*connection, [this, exchange, connection, then = std::move(then)]() mutable {
    if (exchange->gone()) return;
    if (sessions_.known(connection->key) == connection) return then();
    exchange->start_stream(200, stream_headers());  // the session has ended meanwhile: the client comes back, and is told so
    exchange->end();
  });
}

std::shared_ptr<EventStream> HttpTransport::bind_standalone(const std::shared_ptr<Connection>& connection, std::string id,
                                                            std::uint64_t first) {
  if (connection->hang_up) connection->hang_up();  // each message goes to exactly one stream: the newest
  bool prime = connection->handshake->version >= Version::v2025_11_25;
  auto stream = std::make_shared<EventStream>(server_, connection->key, std::move(id), nullptr, prime, first);
  track(stream);
  connection->initialized = true;  // who listens has shaken hands
  connection->send = [stream](std::string message) { stream->push(std::move(message)); };
  connection->hang_up = [stream] { stream->hang_up(); };
  connection->listens = [stream] { return stream->has_client(); };
  return stream;
}

void HttpTransport::track(const std::shared_ptr<EventStream>& stream) {
  if (streams_.size() >= sweep_at_) {
    std::erase_if(streams_, [](const auto& entry) { return entry.second.expired(); });
    sweep_at_ = 2 * streams_.size() + kFirstSweep;
  }
  streams_[stream->key()] = stream;
}

void HttpTransport::resume(const Exchange& exchange, const std::shared_ptr<Connection>& connection, EventId last_seen) {
  auto live = streams_.find(connection->key + "/" + last_seen.stream);
  if (live != streams_.end())
    if (auto stream = live->second.lock(); stream && !stream->hung_up()) return stream->resume(exchange, last_seen.number);
  if (is_standalone(last_seen.stream)) return resume_standalone(exchange, connection, std::move(last_seen));
  resume_from_store(exchange, connection, std::move(last_seen), false);
}

// Messages that come while the store is asked wait in the stream: its former owner can no longer send them.
void HttpTransport::resume_standalone(const Exchange& exchange, const std::shared_ptr<Connection>& connection,
                                      EventId last_seen) {
  take_standalone(exchange, connection, [this, exchange, connection, last_seen] {
    auto stream = bind_standalone(connection, last_seen.stream, last_seen.number + 1);
    stream->hold();
    server_.pool().submit([this, exchange, connection, last_seen, stream, until = row_expiry()] {
      auto kept = read_stream(server_.store(), connection->key, last_seen, until);
      server_.executor().post([exchange, last_seen, stream, kept = std::move(kept)]() mutable {
        if (exchange->gone()) return stream->hang_up();
        if (!kept) {
          stream->hang_up();
          return refuse(*exchange, 503, nullptr, to_rpc_error(kept.error()));
        }
        exchange->start_stream(200, stream_headers());
        if (stream->hung_up()) return exchange->end();       // a newer stream has taken its place, or the session is over
        if (kept->row) replay(*exchange, *kept, last_seen);  // else nothing was missed that we know of
        stream->go_on(exchange, last_seen.number + 1);
      });
    });
  });
}

void HttpTransport::resume_from_store(const Exchange& exchange, const std::shared_ptr<Connection>& connection, EventId last_seen,
                                      bool begun) {
  std::uint64_t wakes = server_.mailbox().wakes();
  server_.pool().submit([this, exchange, connection, last_seen, begun, wakes, until = row_expiry()] {
    auto kept = read_stream(server_.store(), connection->key, last_seen, until);
    server_.executor().post([this, exchange, connection, last_seen, begun, wakes, kept = std::move(kept)]() mutable {
      if (exchange->gone()) return;
      if (begun && (!kept || !kept->row)) return exchange->end();  // the client comes back
      if (!kept) return refuse(*exchange, 503, nullptr, to_rpc_error(kept.error()));
      if (!kept->row)
        return refuse(*exchange, 400, nullptr,
                      {code::kInvalidRequest, "the events of this stream are no longer kept; make the call again", nullptr});
      if (!begun) exchange->start_stream(200, stream_headers());
      if (replay(*exchange, *kept, last_seen)) return exchange->end();
      // Another process produces this stream: look again when it says so, until it is over or the client goes.
      server_.mailbox().when_woken(wakes, kForeignStreamCheck, [this, exchange, connection, last_seen] {
        if (!exchange->gone()) resume_from_store(exchange, connection, last_seen, true);
      });
    });
  });
}

Millis HttpTransport::row_expiry() const {
  return server_.clock().now() + std::chrono::milliseconds(2 * kEventLife).count();
}

}  // namespace holdfast::mcp
