#include "mcp/server/server.h"

#include "base/run/log.h"
#include "mcp/wire/limits.h"

#include <algorithm>
#include <array>

namespace holdfast::mcp {

namespace {

constexpr std::string_view kVersionKey = "io.modelcontextprotocol/protocolVersion";
constexpr std::string_view kCapabilitiesKey = "io.modelcontextprotocol/clientCapabilities";
constexpr std::string_view kClientInfoKey = "io.modelcontextprotocol/clientInfo";
constexpr std::string_view kLogLevelKey = "io.modelcontextprotocol/logLevel";

// Why one more request under this id cannot be taken.
std::optional<RpcError> check_room(const Connection& connection, const std::string& key) {
  if (connection.running.contains(key) || connection.subscriptions.contains(key))
    return RpcError{code::kInvalidRequest, "a request with this id is still running; use another id", nullptr};
  if (connection.running.size() + connection.subscriptions.size() >= kMaxRunningPerConnection)
    return RpcError{code::kInternal, "too many requests at once; wait for some to finish", nullptr};
  return std::nullopt;
}

}  // namespace

Server::Server(ServerOptions options, Executor& executor, Pool& pool, const Clock& clock, StateStore& store)
    : options_(std::move(options)),
      executor_(executor),
      pool_(pool),
      clock_(clock),
      store_(store),
      io_thread_(std::this_thread::get_id()),
      mailbox_(executor, pool, clock, store),
      tasks_(executor, pool, clock, store, mailbox_,
             [this](const std::string& id, const Identity& owner, const JsonObject& task) {
               subscriptions_.task_changed(id, owner, task);
               task_news_.note_told(id, task);
             }),
      task_news_(executor, pool, store, mailbox_, subscriptions_, tasks_) {
  mailbox_.on("list_changed", [this](const JsonObject& message) { tell_of_list(find_string(message, "what").value_or("")); });
  mailbox_.on("resource_updated", [this](const JsonObject& message) {
    const JsonObject* audience = find_object(message, "audience");
    tell_of_resource(std::string(find_string(message, "uri").value_or("")),
                     audience ? std::optional(audience_from(*audience)) : std::nullopt);
  });
  info_ = {{"name", options_.name}, {"version", options_.version}};
  if (!options_.title.empty()) info_["title"] = options_.title;
}

Server::~Server() = default;

Result<void> Server::open() {
  HF_TRY(std::string secret, store_.secret());
  sealer_ = std::make_unique<Sealer>(std::move(secret));
  return {};
}

void Server::on_io(Task task) {
  if (on_io_thread())
    task();
  else
    executor_.post(std::move(task));
}

Server::Counts Server::counts() const {
  Counts counts = counts_;
  counts.subscriptions = subscriptions_.count();
  return counts;
}

void Server::note_end(const Run& run, std::chrono::steady_clock::duration time, RequestTimes::Ending ending) {
  const std::string& method = run.request().method;
  if (method != "tools/call") return request_times_.observe(method, {}, time, ending);
  const auto name = find_string(run.request().params, "name");
  const auto tool = name ? tools_by_name_.find(std::string(*name)) : tools_by_name_.end();
  request_times_.observe(method, tool == tools_by_name_.end() ? std::string_view("other") : std::string_view(tool->first), time,
                         ending);
}

// ---- what is offered ----

JsonObject Server::capabilities(Era era) const {
  JsonObject out;
  if (!tools_.empty()) out["tools"] = JsonObject{{"listChanged", true}};
  if (offers_resources()) out["resources"] = JsonObject{{"listChanged", true}, {"subscribe", true}};
  if (!prompts_.empty()) out["prompts"] = JsonObject{{"listChanged", true}};
  if (!completers_.empty()) out["completions"] = JsonObject{};
  if (options_.logging) out["logging"] = JsonObject{};
  if (era == Era::modern && options_.tasks) out["extensions"] = JsonObject{{kTasksExtension, JsonObject{}}};
  return out;
}

Subscriptions::Offer Server::offer() const {
  return {!tools_.empty(), !prompts_.empty(), offers_resources(), offers_resources(), options_.tasks};
}

JsonObject Server::cache_fields() const {
  return {{"ttlMs", options_.list_ttl_ms}, {"cacheScope", options_.lists_are_public ? "public" : "private"}};
}

// ---- methods ----

Server::Method Server::find_method(Era era, std::string_view name) const {
  struct Entry {
    std::string_view name;
    bool legacy, modern;
    Method method;
    bool (*offered)(const Server&);
  };
  static constexpr auto always = [](const Server&) { return true; };
  static constexpr auto tools = [](const Server& s) { return !s.tools_.empty(); };
  static constexpr auto resources = [](const Server& s) { return s.offers_resources(); };
  static constexpr auto prompts = [](const Server& s) { return !s.prompts_.empty(); };
  static constexpr auto completions = [](const Server& s) { return !s.completers_.empty(); };
  static constexpr auto logging = [](const Server& s) { return s.options_.logging; };
  static constexpr auto tasks = [](const Server& s) { return s.options_.tasks; };
  static const std::array<Entry, 17> kMethods = {{
      {"tools/call", true, true, &Server::on_call_tool, tools},
      {"tools/list", true, true, &Server::on_list_tools, tools},
      {"ping", true, false, &Server::on_ping, always},
      {"server/discover", false, true, &Server::on_discover, always},
      {"subscriptions/listen", false, true, nullptr, always},  // opened in handle_modern
      {"resources/list", true, true, &Server::on_list_resources, resources},
      {"resources/templates/list", true, true, &Server::on_list_templates, resources},
      {"resources/read", true, true, &Server::on_read_resource, resources},
      {"resources/subscribe", true, false, &Server::on_subscribe, resources},
      {"resources/unsubscribe", true, false, &Server::on_unsubscribe, resources},
      {"prompts/list", true, true, &Server::on_list_prompts, prompts},
      {"prompts/get", true, true, &Server::on_get_prompt, prompts},
      {"completion/complete", true, true, &Server::on_complete, completions},
      {"logging/setLevel", true, false, &Server::on_set_level, logging},
      {"tasks/get", false, true, &Server::on_task_get, tasks},
      {"tasks/update", false, true, &Server::on_task_update, tasks},
      {"tasks/cancel", false, true, &Server::on_task_cancel, tasks},
  }};
  for (const Entry& entry : kMethods) {
    if (entry.name != name) continue;
    bool known = era == Era::modern ? entry.modern : entry.legacy;
    return known && entry.offered(*this) ? entry.method : nullptr;
  }
  return nullptr;
}

bool Server::has_modern_method(std::string_view method) const {
  return method == "subscriptions/listen" || find_method(Era::modern, method) != nullptr;
}

// ---- the modern era ----

bool Server::claims_modern(const JsonObject& params) {
  const JsonObject* meta = find_object(params, "_meta");
  return meta && meta->contains(kVersionKey);
}

std::expected<std::shared_ptr<Caller>, RpcError> Server::read_envelope(const Message& request, Transport transport,
                                                                       const Identity& identity, std::string& claimed_version) {
  const JsonObject* meta = find_object(request.params, "_meta");
  std::string missing;
  auto need = [&](std::string_view key, bool present) {
    if (!present) missing += (missing.empty() ? "" : ", ") + std::string(key);
  };
  auto version = meta ? find_string(*meta, kVersionKey) : std::nullopt;
  const JsonObject* capabilities = meta ? find_object(*meta, kCapabilitiesKey) : nullptr;
  need(kVersionKey, version.has_value());
  need(kCapabilitiesKey, capabilities != nullptr);
  if (!missing.empty())
    return std::unexpected(invalid_params("params._meta lacks (or has in the wrong type): " + missing +
                                          ". Every request of protocol 2026-07-28 carries both."));
  auto caller = std::make_shared<Caller>();
  claimed_version = *version;
  caller->transport = transport;
  static_cast<Identity&>(*caller) = identity;
  caller->capabilities = *capabilities;
  if (const JsonObject* info = find_object(*meta, kClientInfoKey)) caller->client_info = *info;
  if (const Json* level = find(*meta, kLogLevelKey)) {
    caller->log_level = level->is_string() ? severity_named(view(level->get_string())) : std::nullopt;
    if (!caller->log_level) return std::unexpected(invalid_params(std::string(kLogLevelKey) + " is not a known level"));
  }
  return caller;
}

std::optional<RpcError> Server::check_modern_version(const std::string& claimed_version) {
  auto version = version_named(claimed_version);
  if (version && era_of(*version) == Era::modern) return std::nullopt;
  return RpcError{code::kUnsupportedVersion, "unsupported protocol version",
                  JsonObject{{"supported", JsonArray{name_of(kNewestModern)}}, {"requested", claimed_version}}};
}

Server::Started Server::handle_modern(Message request, std::shared_ptr<const Caller> caller,
                                      std::shared_ptr<Connection> connection, std::shared_ptr<Outlet> outlet) {
  ++counts_.requests;
  std::string key = connection ? id_key(request.id) : std::string();
  auto refuse = [&](RpcError error, int status) {
    ++counts_.errors;
    outlet->finish(write_error(request.id, error), status);
    return Started{};
  };
  if (connection)
    if (auto error = check_room(*connection, key)) return refuse(std::move(*error), 200);
  if (!has_modern_method(request.method))
    return refuse({code::kMethodNotFound, "there is no method " + request.method, nullptr}, 404);
  if (request.method == "subscriptions/listen") {
    auto filter = Subscriptions::read_filter(request.params, offer(), caller->has_extension(kTasksExtension));
    if (!filter) return refuse(filter.error(), filter.error().code == code::kMissingCapability ? 400 : 200);
    if (connection) mailbox_.join_soon();  // over HTTP that is done already
    auto handle = subscriptions_.open(request.id, std::move(*filter), *caller, connection, outlet);
    task_news_.look();
    return {nullptr, handle};
  }
  Method method = find_method(Era::modern, request.method);
  auto run = std::make_shared<Run>(*this, std::move(caller), connection, std::move(request), std::move(outlet));
  if (connection) connection->running.emplace(key, run);
  (this->*method)(run);
  return {std::move(run), 0};
}

void Server::on_discover(std::shared_ptr<Run> run) {
  JsonObject result = cache_fields();
  result["supportedVersions"] = JsonArray{name_of(kNewestModern)};
  result["capabilities"] = capabilities(Era::modern);
  if (!options_.instructions.empty()) result["instructions"] = options_.instructions;
  run->finish_with(std::move(result));
}

// ---- the legacy era ----

std::expected<Server::Handshake, RpcError> Server::handshake(const Message& request, Transport transport,
                                                             const Identity& identity, const std::string& connection_key) const {
  auto wanted = find_string(request.params, "protocolVersion");
  if (!wanted) return std::unexpected(invalid_params("initialize needs protocolVersion"));
  auto caller = std::make_shared<Caller>();
  // An unknown or modern version gets our newest legacy one: the client decides whether it can speak it.
  auto version = version_named(*wanted);
  caller->version = version && era_of(*version) == Era::legacy ? *version : kNewestLegacy;
  caller->transport = transport;
  static_cast<Identity&>(*caller) = identity;
  caller->connection = connection_key;
  caller->opened_at = clock_.now();
  if (const JsonObject* capabilities = find_object(request.params, "capabilities")) caller->capabilities = *capabilities;
  if (const JsonObject* info = find_object(request.params, "clientInfo")) caller->client_info = *info;
  JsonObject result{
      {"protocolVersion", name_of(caller->version)}, {"capabilities", capabilities(Era::legacy)}, {"serverInfo", info_}};
  if (!options_.instructions.empty()) result["instructions"] = options_.instructions;
  return Handshake{std::move(caller), std::move(result)};
}

std::shared_ptr<Run> Server::handle_legacy(Message request, std::shared_ptr<Connection> connection,
                                           std::shared_ptr<Outlet> outlet) {
  ++counts_.requests;
  std::string key = id_key(request.id);
  auto refuse = [&](RpcError error) {
    ++counts_.errors;
    outlet->finish(write_error(request.id, error), 200);
    return nullptr;
  };
  if (auto error = check_room(*connection, key)) return refuse(std::move(*error));
  Method method = find_method(Era::legacy, request.method);
  if (!method) return refuse({code::kMethodNotFound, "there is no method " + request.method, nullptr});
  if (request.method != "ping") connection->initialized = true;  // who works has shaken hands
  auto run = std::make_shared<Run>(*this, connection->handshake, connection, std::move(request), std::move(outlet));
  connection->running.emplace(std::move(key), run);
  (this->*method)(run);
  return run;
}

void Server::take_notification(const Message& notification, Connection& connection) {
  if (notification.method == "notifications/initialized" && connection.handshake) connection.initialized = true;
  if (notification.method == "notifications/roots/list_changed" && connection.handshake && roots_changed_)
    roots_changed_(*connection.handshake);
  if (notification.method != "notifications/cancelled") return;
  const Json* id = find(notification.params, "requestId");
  if (!id || cancel_request(*id, connection) || connection.transport != Transport::http) return;
  mailbox_.send_to_others("cancelled", {{"session", connection.key}, {"requestId", *id}});  // it may run there
}

bool Server::cancel_request(const Json& id, Connection& connection) {
  std::string key = id_key(id);
  if (auto open = connection.subscriptions.find(key); open != connection.subscriptions.end()) {
    subscriptions_.close(open->second);
    return true;
  }
  auto running = connection.running.find(key);
  if (running == connection.running.end()) return false;
  std::shared_ptr<Run> run = running->second;
  run->cancel();
  return true;
}

bool Server::take_response(const Message& response, Connection& connection) {
  if (!response.id.is_string()) return false;
  auto asked = connection.asked.find(std::string(view(response.id.get_string())));
  if (asked == connection.asked.end()) return false;
  auto answered = std::move(asked->second);
  connection.asked.erase(asked);
  answered(response);
  return true;
}

void Server::on_ping(std::shared_ptr<Run> run) {
  run->finish_with({});
}

void Server::on_set_level(std::shared_ptr<Run> run) {
  auto level = find_string(run->request().params, "level");
  auto severity = level ? severity_named(*level) : std::nullopt;
  if (!severity)
    return run->fail_with(invalid_params("level must be one of debug, info, notice, warning, error, critical, alert, emergency"));
  run->connection()->log_level = *severity;
  finish_when_saved(std::move(run), {*severity, {}, {}});
}

void Server::finish_when_saved(std::shared_ptr<Run> run, Connection::Change change) {
  auto save = run->connection()->save;
  if (!save) return run->finish_with({});
  save(std::move(change), [run](Result<void> kept) {
    if (!kept) return run->fail_with(to_rpc_error(kept.error()));
    run->finish_with({});
  });
}

// ---- changes ----

void Server::attach(std::weak_ptr<Connection> connection) {
  std::erase_if(connections_, [](const auto& known) { return known.expired(); });
  connections_.push_back(std::move(connection));
}

void Server::announce(std::string_view method, const JsonObject& params, const std::function<bool(const Connection&)>& wants) {
  std::string text;
  for (const auto& known : connections_) {
    auto connection = known.lock();
    if (!connection || !connection->initialized || !connection->send || !wants(*connection)) continue;
    if (text.empty()) text = write_notification(method, params);
    connection->send(text);
  }
}

void Server::tell_of_list(std::string_view what) {
  if (what == "tools") subscriptions_.tools_changed();
  if (what == "prompts") subscriptions_.prompts_changed();
  if (what == "resources") subscriptions_.resources_changed();
  announce("notifications/" + std::string(what) + "/list_changed", {}, [](const Connection&) { return true; });
}

void Server::tell_of_resource(const std::string& uri, const std::optional<Audience>& audience) {
  subscriptions_.resource_updated(uri, audience);
  announce("notifications/resources/updated", {{"uri", uri}}, [&](const Connection& c) {
    return c.subscribed.contains(uri) && (!audience || (c.handshake && audience->has(*c.handshake)));
  });
}

void Server::list_changed(std::string_view what) {
  on_io([this, what] {
    tell_of_list(what);
    mailbox_.send_to_others("list_changed", {{"what", what}});
  });
}

void Server::tools_changed() {
  list_changed("tools");
}

void Server::prompts_changed() {
  list_changed("prompts");
}

void Server::resources_changed() {
  list_changed("resources");
}

void Server::resource_updated(const std::string& uri, const std::optional<Audience>& audience, Reach reach) {
  on_io([this, uri, audience, reach] {
    tell_of_resource(uri, audience);
    if (reach == Reach::here) return;
    JsonObject message{{"uri", uri}};
    if (audience) message["audience"] = audience_fields(*audience);
    mailbox_.send_to_others("resource_updated", std::move(message));
  });
}

void Server::present_connections(std::function<void(std::set<std::string>)> tell) {
  on_io([this, tell = std::move(tell)] {
    std::set<std::string> present;
    for (const std::weak_ptr<Connection>& each : connections_) {
      const std::shared_ptr<Connection> connection = each.lock();
      if (connection && (!connection->running.empty() || (connection->listens && connection->listens())))
        present.insert(connection->key);
    }
    tell(std::move(present));
  });
}

void Server::shut_down() {
  tasks_.stop();
  subscriptions_.end_all({{"io.modelcontextprotocol/serverInfo", info_}});
  for (const std::weak_ptr<Connection>& connection : connections_)
    if (auto alive = connection.lock(); alive && alive->hang_up) alive->hang_up();
  mailbox_.leave();
}

// ---- tasks ----

void Server::on_task_get(std::shared_ptr<Run> run) {
  tasks_.on_get(std::move(run));
}

void Server::on_task_update(std::shared_ptr<Run> run) {
  tasks_.on_update(std::move(run));
}

void Server::on_task_cancel(std::shared_ptr<Run> run) {
  tasks_.on_cancel(std::move(run));
}

}  // namespace holdfast::mcp
