// GET: the stand-alone streams of legacy sessions, and streams that are resumed.

#include "base/ids.h"
#include "mcp/transport/http_answers.h"
#include "mcp/transport/transport_http.h"
#include "mcp/wire/limits.h"
#include "net/http/sse.h"

namespace holdfast::mcp {

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

namespace {

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
