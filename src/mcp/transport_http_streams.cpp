// GET: the stand-alone streams of legacy sessions, and streams that are resumed.

#include "base/ids.h"
#include "mcp/http_answers.h"
#include "mcp/limits.h"
#include "mcp/transport_http.h"
#include "net/sse.h"

namespace holdfast::mcp {

void HttpTransport::on_get(const Exchange& exchange, const Identity& identity) {
  if (!accepts(exchange->request(), "text/event-stream"))
    return refuse(*exchange, 406, nullptr, {code::kInvalidRequest, "Accept must list text/event-stream", nullptr});
  with_session(exchange, identity, nullptr, [this, exchange](std::shared_ptr<Connection> connection) {
    const std::string* last = exchange->request().header("Last-Event-ID");
    if (!last) return open_standalone(exchange, connection, "g" + random_base62(10), 1);
    auto event = parse_event_id(*last);
    if (!event)
      return refuse(*exchange, 400, nullptr, {code::kInvalidRequest, "Last-Event-ID is not an id of this server", nullptr});
    resume(exchange, connection, std::move(*event));
  });
}

void HttpTransport::open_standalone(const Exchange& exchange, const std::shared_ptr<Connection>& connection, std::string id,
                                    std::uint64_t first) {
  bind_standalone(connection, std::move(id), first)->attach(exchange);
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
  resume_from_store(exchange, connection, std::move(last_seen), false);
}

void HttpTransport::resume_from_store(const Exchange& exchange, const std::shared_ptr<Connection>& connection, EventId last_seen,
                                      bool begun) {
  struct Found {
    Result<std::optional<Json>> row;
    Result<std::vector<StoredState>> events;
    bool owner_lives = false;
    bool seen_all = false;  // the last event the client has is the last of the stream
  };
  server_.pool().submit([this, exchange, connection, last_seen, begun] {
    StateStore& store = server_.store();
    auto found = std::make_shared<Found>();
    std::string prefix = connection->key + "/" + last_seen.stream;
    found->row = store.get(kStreamArea, prefix);
    found->events =
        store.list(kEventArea, prefix + "/", event_key(connection->key, last_seen.stream, last_seen.number), kMaxEventsPerStream);
    auto seen = store.get(kEventArea, event_key(connection->key, last_seen.stream, last_seen.number));
    if (seen && *seen && (*seen)->is_object()) found->seen_all = find_bool((*seen)->get_object(), "last").value_or(false);
    if (found->row && *found->row && (*found->row)->is_object())
      found->owner_lives = store.is_alive(find_string((*found->row)->get_object(), "owner").value_or(""));
    server_.executor().post([this, exchange, connection, last_seen, begun, found]() mutable {
      if (exchange->gone()) return;
      bool kept = found->row && *found->row && (*found->row)->is_object() && found->events;
      if (!kept && is_standalone(last_seen.stream))  // nothing was missed that we know of: go on
        return open_standalone(exchange, connection, last_seen.stream, last_seen.number + 1);
      if (!kept) {
        if (begun) return exchange->end();
        return refuse(*exchange, 400, nullptr,
                      {code::kInvalidRequest, "the events of this stream are no longer kept; make the call again", nullptr});
      }
      if (!begun) exchange->start_stream(200, stream_headers());
      bool last = found->seen_all;
      std::string text;
      for (const StoredState& event : *found->events) {
        const JsonObject* fields = event.value.if_object();
        if (!fields) continue;
        last_seen.number = event_number(event.key);
        last = find_bool(*fields, "last").value_or(false);
        std::string data(find_string(*fields, "data").value_or(""));
        if (data.empty()) continue;
        net::append_sse(text, {last_seen.stream + "-" + std::to_string(last_seen.number), {}, std::move(data), {}});
      }
      if (!text.empty()) exchange->write(std::move(text));
      const Json* request = find((*found->row)->get_object(), "request");
      bool standalone = is_standalone(last_seen.stream);
      if (!last && !standalone && !found->owner_lives) {
        std::string lost;
        RpcError error{code::kInternal, "the server was restarted while this request was running; make the call again", nullptr};
        net::append_sse(lost, {{}, {}, write_error(request ? *request : Json(), error), {}});
        exchange->write(std::move(lost));
        last = true;
      }
      if (last) return exchange->end();
      if (standalone) {
        return bind_standalone(connection, last_seen.stream, last_seen.number + 1)->continue_on(exchange);
      }
      // Another process produces this stream: look again until it is over or the client goes.
      server_.executor().after(kForeignStreamPoll, [this, exchange, connection, last_seen] {
        if (!exchange->gone()) resume_from_store(exchange, connection, last_seen, true);
      });
    });
  });
}

}  // namespace holdfast::mcp
