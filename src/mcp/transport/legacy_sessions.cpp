#include "mcp/transport/legacy_sessions.h"

#include "base/ids.h"
#include "base/run/log.h"
#include "mcp/wire/limits.h"

#include <algorithm>
#include <cstdlib>

namespace holdfast::mcp {

namespace {

constexpr std::string_view kStreamsAtArea = "mcp.session_stream";  // address of the process with the stand-alone stream

JsonObject to_row(const Connection& connection) {
  const Caller& caller = *connection.handshake;
  JsonArray subscribed;
  for (const std::string& uri : connection.subscribed) subscribed.emplace_back(uri);
  return {{"principal", caller.principal},       {"person", caller.person},          {"version", name_of(caller.version)},
          {"capabilities", caller.capabilities}, {"clientInfo", caller.client_info}, {"logLevel", name_of(connection.log_level)},
          {"subscribed", std::move(subscribed)}, {"openedAt", caller.opened_at}};
}

std::shared_ptr<const Caller> read_caller(const std::string& id, const JsonObject& row) {
  auto version = version_named(find_string(row, "version").value_or(""));
  if (!version) return nullptr;
  auto caller = std::make_shared<Caller>();
  caller->version = *version;
  caller->transport = Transport::http;
  caller->principal = find_string(row, "principal").value_or("");
  caller->person = find_string(row, "person").value_or(caller->principal);
  caller->opened_at = find_int(row, "openedAt").value_or(0);
  caller->connection = id;
  if (const JsonObject* capabilities = holdfast::find_object(row, "capabilities")) caller->capabilities = *capabilities;
  if (const JsonObject* info = holdfast::find_object(row, "clientInfo")) caller->client_info = *info;
  return caller;
}

// What may change during a session.
void read_memory(Connection& connection, const JsonObject& row) {
  connection.log_level = severity_named(find_string(row, "logLevel").value_or("")).value_or(connection.log_level);
  connection.subscribed.clear();
  if (const JsonArray* uris = find_array(row, "subscribed"))
    for (const Json& uri : *uris)
      if (uri.is_string()) connection.subscribed.emplace(view(uri.get_string()));
}

void apply(const Connection::Change& change, JsonObject& row) {
  if (change.log_level) row["logLevel"] = name_of(*change.log_level);
  Json& uris = row["subscribed"];
  if (!uris.is_array()) uris = JsonArray{};
  JsonArray& subscribed = uris.get_array();
  for (const std::string& uri : {change.subscribe, change.unsubscribe})
    subscribed.erase(std::remove(subscribed.begin(), subscribed.end(), Json(uri)), subscribed.end());
  if (!change.subscribe.empty()) subscribed.emplace_back(change.subscribe);
}

void end(Connection& connection) {
  for (auto running = connection.running; auto& [key, run] : running) run->cancel();
  if (connection.hang_up) connection.hang_up();
  connection.hang_up = nullptr;
  connection.listens = nullptr;
  connection.send = nullptr;
}

// Whether the session is this person's; if so, what they may do now is what counts.
bool take_identity(Connection& connection, const Identity& identity) {
  const Caller& known = *connection.handshake;
  if (known.principal != identity.principal || known.person != identity.person) return false;
  if (known == identity) return true;
  auto caller = std::make_shared<Caller>(known);
  static_cast<Identity&>(*caller) = identity;
  connection.handshake = std::move(caller);
  return true;
}

Error no_session() {
  return make_error(ErrorKind::not_found, "there is no such session; initialize again");
}

}  // namespace

// Messages: {session, what: changed | ended | streams_elsewhere}.
LegacySessions::LegacySessions(Server& server) : server_(server) {
  server_.mailbox().on("session", [this](const JsonObject& message) { take_message(message); });
  server_.executor().post([this, alive = alive_] {
    if (*alive) attend();
  });
}

void LegacySessions::attend() {
  prolong_listening();
  server_.executor().after(kSessionTouchEvery, [this, alive = alive_] {
    if (*alive) attend();
  });
}

void LegacySessions::prolong_listening() {
  for (auto& [id, cached] : cache_) {
    const Connection& connection = *cached.connection;
    if (!connection.listens || !connection.listens()) continue;
    if (touch(id, cached)) keep_stream(id);
  }
}

void LegacySessions::take_message(const JsonObject& message) {
  std::string id(find_string(message, "session").value_or(""));
  auto what = find_string(message, "what");
  auto cached = cache_.find(id);
  if (cached == cache_.end()) return;
  std::shared_ptr<Connection> connection = cached->second.connection;
  if (what == "ended") forget(id);
  // The next request reads the row anyway; a stream that listens must hear of what is subscribed to now.
  if (what == "changed" && connection->listens && connection->listens()) recheck(id, cached->second, [](auto) {});
  if (what == "streams_elsewhere" && connection->hang_up) yield_stream(id, connection->hang_up);
}

// Two processes that open one at the same time tell each other; which is the newer one stands in the store.
void LegacySessions::take_stream(const Connection& connection, Task then) {
  if (!server_.store().is_shared()) return then();
  server_.pool().submit([this, id = connection.key, expires = expiry(), then = std::move(then)]() mutable {
    auto kept = server_.store().put(kStreamsAtArea, id, Json(server_.store().address()), expires);
    if (!kept) log(LogLevel::warn, "mcp", "a stream may be open at two processes: " + kept.error().message);
    server_.executor().post([this, id, tell = kept.has_value(), then = std::move(then)]() mutable {
      if (tell) server_.mailbox().send_to_others("session", {{"session", id}, {"what", "streams_elsewhere"}});
      then();
    });
  });
}

// Prolongs the row that says so, unless another process has taken the stream meanwhile and its message is still on the way.
void LegacySessions::keep_stream(const std::string& id) {
  if (!server_.store().is_shared()) return;
  server_.pool().submit([this, id, expires = expiry()] {
    Json here(server_.store().address());
    auto kept = server_.store().change([&](StateTransaction& store) -> Result<void> {
      HF_TRY(auto at, store.get(kStreamsAtArea, id));
      if (at && *at != here) return {};
      return store.put(kStreamsAtArea, id, here, expires);
    });
    if (!kept) log(LogLevel::warn, "mcp", "where a stream is was not prolonged: " + kept.error().message);
  });
}

// Ends the stream that was open when the message came: one that is opened here while the store is asked is newer than both.
void LegacySessions::yield_stream(const std::string& id, std::function<void()> hang_up) {
  server_.pool().submit([this, id, hang_up = std::move(hang_up)]() mutable {
    auto at = server_.store().get(kStreamsAtArea, id);
    if (at && *at && **at != Json(server_.store().address())) server_.executor().post(std::move(hang_up));
  });
}

std::shared_ptr<Connection> LegacySessions::known(const std::string& id) const {
  auto cached = cache_.find(id);
  return cached == cache_.end() ? nullptr : cached->second.connection;
}

void LegacySessions::end_all() {
  for (auto& [id, cached] : std::exchange(cache_, {})) end(*cached.connection);
}

Millis LegacySessions::expiry() const {
  return server_.clock().now() + std::chrono::milliseconds(kSessionIdleLife).count();
}

std::shared_ptr<Connection> LegacySessions::remember(const std::string& id, std::shared_ptr<const Caller> caller) {
  make_room();
  auto connection = std::make_shared<Connection>();
  connection->key = id;
  connection->principal = caller->principal;
  connection->transport = Transport::http;
  connection->handshake = std::move(caller);
  connection->save = [this, id](Connection::Change change, std::function<void(Result<void>)> saved) {
    save(id, std::move(change), std::move(saved));
  };
  Millis now = server_.clock().now();
  auto writes = std::make_shared<Strand>(server_.executor(), server_.pool());
  cache_.insert_or_assign(id, Cached{connection, now, std::move(writes)});
  server_.attach(connection);
  return connection;
}

// A session of the store, with what it remembers.
std::shared_ptr<Connection> LegacySessions::read(const std::string& id, const JsonObject& row) {
  auto caller = read_caller(id, row);
  if (!caller) return nullptr;
  auto connection = remember(id, std::move(caller));
  read_memory(*connection, row);
  return connection;
}

// Sessions without work in flight, and without a client that listens, can be found again in the store.
void LegacySessions::make_room() {
  if (cache_.size() < kMaxCachedSessions) return;
  std::erase_if(cache_, [](const auto& entry) {
    const Connection& connection = *entry.second.connection;
    return connection.running.empty() && !(connection.listens && connection.listens());
  });
}

void LegacySessions::open(Server::Handshake& handshake, Opened opened) {
  std::string id = make_handle();
  auto caller = std::make_shared<Caller>(*handshake.caller);
  caller->connection = id;
  Connection draft;
  draft.handshake = caller;
  server_.pool().submit([this, id, caller, row = to_row(draft), expires = expiry(), opened = std::move(opened)]() mutable {
    auto kept = server_.store().put(kSessionArea, id, row, expires);
    server_.executor().post([this, id, caller, kept = std::move(kept), opened = std::move(opened)] {
      if (!kept) return opened(std::unexpected(kept.error()));
      opened(remember(id, caller));
    });
  });
}

void LegacySessions::find(const std::string& id, const Identity& identity, Opened found) {
  if (auto cached = cache_.find(id); cached != cache_.end()) {
    if (!take_identity(*cached->second.connection, identity)) return found(std::unexpected(no_session()));
    touch(id, cached->second);
    if (server_.store().is_shared()) return recheck(id, cached->second, std::move(found));
    return found(cached->second.connection);
  }
  server_.pool().submit([this, id, identity, found = std::move(found)]() mutable {
    auto row = server_.store().get(kSessionArea, id);
    server_.executor().post([this, id, identity, row = std::move(row), found = std::move(found)] {
      if (!row) return found(std::unexpected(row.error()));
      if (!*row || !(*row)->is_object()) return found(std::unexpected(no_session()));
      const JsonObject& fields = (*row)->get_object();
      auto cached = cache_.find(id);
      auto connection = cached != cache_.end() ? cached->second.connection : read(id, fields);
      if (!connection || !take_identity(*connection, identity)) return found(std::unexpected(no_session()));
      found(std::move(connection));
    });
  });
}

// Is it still there, and what does it remember now? A store that cannot say leaves things as they are.
void LegacySessions::recheck(const std::string& id, Cached& cached, Opened found) {
  auto row = std::make_shared<Result<std::optional<Json>>>();
  cached.writes->run([this, id, row] { *row = server_.store().get(kSessionArea, id); },
                     [this, id, row, connection = cached.connection, changes = cached.changes, found = std::move(found)] {
                       auto now = cache_.find(id);
                       bool current = now != cache_.end() && now->second.connection == connection;
                       if (*row && !**row) {
                         if (current) forget(id);
                         return found(std::unexpected(no_session()));
                       }
                       if (*row && (**row)->is_object() && current && now->second.changes == changes)
                         read_memory(*connection, (**row)->get_object());
                       found(connection);
                     });
}

// A session that is used stays.
bool LegacySessions::touch(const std::string& id, Cached& cached) {
  Millis now = server_.clock().now();
  if (std::abs(now - cached.touched) <= std::chrono::milliseconds(kSessionTouchEvery).count()) return false;
  cached.touched = now;
  cached.writes->run(
      [this, id, expires = expiry()] {
        auto prolonged = server_.store().change([&](StateTransaction& store) -> Result<void> {
          HF_TRY(auto row, store.get(kSessionArea, id));
          if (!row) return {};
          return store.put(kSessionArea, id, *row, expires);
        });
        if (!prolonged) log(LogLevel::warn, "mcp", "a session was not prolonged: " + prolonged.error().message);
      },
      [] {});
  return true;
}

void LegacySessions::save(const std::string& id, Connection::Change change, std::function<void(Result<void>)> saved) {
  auto cached = cache_.find(id);
  if (cached == cache_.end()) return saved(std::unexpected(no_session()));
  ++cached->second.changes;
  bool tell = !change.subscribe.empty() || !change.unsubscribe.empty();
  auto kept = std::make_shared<Result<void>>();
  cached->second.writes->run(
      [this, id, kept, change = std::move(change), expires = expiry()] {
        *kept = server_.store().change([&](StateTransaction& store) -> Result<void> {
          HF_TRY(auto row, store.get(kSessionArea, id));
          if (!row || !row->is_object()) return std::unexpected(no_session());
          apply(change, row->get_object());
          return store.put(kSessionArea, id, *row, expires);
        });
      },
      [this, id, kept, tell, saved = std::move(saved)] {
        if (!*kept || !tell) return saved(*kept);
        // Its stand-alone stream may be elsewhere.
        server_.mailbox().send_to_others("session", {{"session", id}, {"what", "changed"}}, saved);
      });
}

void LegacySessions::forget(const std::string& id) {
  auto cached = cache_.find(id);
  if (cached == cache_.end()) return;
  std::shared_ptr<Connection> connection = cached->second.connection;
  cache_.erase(cached);
  end(*connection);
}

void LegacySessions::close(const std::string& id, std::function<void(Result<void>)> closed) {
  auto cached = cache_.find(id);
  auto writes = cached != cache_.end() ? cached->second.writes : std::make_shared<Strand>(server_.executor(), server_.pool());
  forget(id);
  auto erased = std::make_shared<Result<void>>();
  writes->run([this, id, erased] { *erased = server_.store().erase(kSessionArea, id); },
              [this, id, erased, closed = std::move(closed)] {
                if (!*erased) return closed(*erased);
                server_.mailbox().send_to_others("session", {{"session", id}, {"what", "ended"}}, closed);
              });
}

}  // namespace holdfast::mcp
