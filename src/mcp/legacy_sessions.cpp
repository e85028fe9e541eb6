#include "mcp/legacy_sessions.h"

#include "base/ids.h"
#include "base/log.h"
#include "mcp/limits.h"

namespace holdfast::mcp {

namespace {

constexpr std::string_view kArea = "mcp.session";

JsonObject to_row(const Connection& connection) {
  const Caller& caller = *connection.handshake;
  JsonArray subscribed;
  for (const std::string& uri : connection.subscribed) subscribed.emplace_back(uri);
  return {{"principal", caller.principal},    {"version", name_of(caller.version)},        {"capabilities", caller.capabilities},
          {"clientInfo", caller.client_info}, {"logLevel", name_of(connection.log_level)}, {"subscribed", std::move(subscribed)}};
}

std::shared_ptr<const Caller> read_caller(const std::string& id, const JsonObject& row) {
  auto version = version_named(find_string(row, "version").value_or(""));
  if (!version) return nullptr;
  auto caller = std::make_shared<Caller>();
  caller->version = *version;
  caller->transport = Transport::http;
  caller->principal = find_string(row, "principal").value_or("");
  caller->connection = id;
  if (const JsonObject* capabilities = holdfast::find_object(row, "capabilities")) caller->capabilities = *capabilities;
  if (const JsonObject* info = holdfast::find_object(row, "clientInfo")) caller->client_info = *info;
  return caller;
}

void cancel_all(Connection& connection) {
  for (auto running = connection.running; auto& [key, run] : running) run->cancel();
}

Error no_session() {
  return make_error(ErrorKind::not_found, "there is no such session; initialize again");
}

}  // namespace

LegacySessions::~LegacySessions() {
  for (auto& [id, cached] : cache_) cancel_all(*cached.connection);
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
  connection->changed = [this, weak = std::weak_ptr(connection)] {
    if (auto self = weak.lock()) persist(*self);
  };
  auto now = std::chrono::steady_clock::now();
  cache_.insert_or_assign(id, Cached{connection, now, now});
  server_.attach(connection);
  return connection;
}

// Sessions without work in flight can be found again in the store.
void LegacySessions::make_room() {
  if (cache_.size() < kMaxCachedSessions) return;
  std::erase_if(cache_, [](const auto& entry) {
    const Connection& connection = *entry.second.connection;
    return connection.running.empty() && connection.asked.empty() && !connection.send;
  });
}

void LegacySessions::open(Server::Handshake& handshake, const std::string& principal, Opened opened) {
  std::string id = make_handle();
  auto caller = std::make_shared<Caller>(*handshake.caller);
  caller->connection = id;
  caller->principal = principal;
  Connection draft;
  draft.handshake = caller;
  server_.pool().submit([this, id, caller, row = to_row(draft), expires = expiry(), opened = std::move(opened)]() mutable {
    auto kept = server_.store().put(kArea, id, row, expires);
    server_.executor().post([this, id, caller, kept = std::move(kept), opened = std::move(opened)] {
      if (!kept) return opened(std::unexpected(kept.error()));
      opened(remember(id, caller));
    });
  });
}

void LegacySessions::find(const std::string& id, const std::string& principal, Opened found) {
  if (auto cached = cache_.find(id); cached != cache_.end()) {
    if (cached->second.connection->principal != principal) return found(std::unexpected(no_session()));
    std::shared_ptr<Connection> connection = cached->second.connection;
    recheck(id, cached->second);
    return found(std::move(connection));
  }
  server_.pool().submit([this, id, principal, found = std::move(found)]() mutable {
    auto row = server_.store().get(kArea, id);
    server_.executor().post([this, id, principal, row = std::move(row), found = std::move(found)] {
      if (!row) return found(std::unexpected(row.error()));
      if (!*row || !(*row)->is_object()) return found(std::unexpected(no_session()));
      const JsonObject& fields = (*row)->get_object();
      auto caller = read_caller(id, fields);
      if (!caller || caller->principal != principal) return found(std::unexpected(no_session()));
      if (auto cached = cache_.find(id); cached != cache_.end()) return found(cached->second.connection);
      auto connection = remember(id, std::move(caller));
      connection->log_level = severity_named(find_string(fields, "logLevel").value_or("")).value_or(connection->log_level);
      if (const JsonArray* uris = find_array(fields, "subscribed"))
        for (const Json& uri : *uris)
          if (uri.is_string()) connection->subscribed.emplace(view(uri.get_string()));
      found(std::move(connection));
    });
  });
}

void LegacySessions::recheck(const std::string& id, Cached& cached) {
  auto now = std::chrono::steady_clock::now();
  if (now - cached.touched > kSessionTouchEvery) {
    cached.touched = now;
    persist(*cached.connection);
  }
  if (now - cached.checked < kSessionRecheck) return;
  cached.checked = now;
  server_.pool().submit([this, id] {
    auto row = server_.store().get(kArea, id);
    if (!row || *row) return;
    server_.executor().post([this, id] { cache_.erase(id); });  // ended elsewhere
  });
}

void LegacySessions::persist(const Connection& connection) {
  server_.pool().submit([this, id = connection.key, row = to_row(connection), expires = expiry()] {
    if (auto kept = server_.store().put(kArea, id, row, expires); !kept)
      log(LogLevel::warn, "mcp", "session state not stored: " + kept.error().message);
  });
}

void LegacySessions::close(const std::string& id, std::function<void(Result<void>)> closed) {
  if (auto cached = cache_.find(id); cached != cache_.end()) {
    cancel_all(*cached->second.connection);
    cache_.erase(cached);
  }
  server_.pool().submit([this, id, closed = std::move(closed)]() mutable {
    auto erased = server_.store().erase(kArea, id);
    server_.executor().post([erased = std::move(erased), closed = std::move(closed)] { closed(erased); });
  });
}

}  // namespace holdfast::mcp
