#include "mcp/server/subscriptions.h"

#include "mcp/server/caller.h"
#include "mcp/wire/limits.h"

namespace holdfast::mcp {

JsonObject audience_fields(const Audience& audience) {
  return {{"principal", audience.principal}, {"roots", JsonArray(audience.roots.begin(), audience.roots.end())}};
}

Audience audience_from(const JsonObject& written) {
  return {text_in(written, "principal"), strings_in(written, "roots")};
}

namespace {

constexpr std::string_view kSubscriptionId = "io.modelcontextprotocol/subscriptionId";

std::optional<RpcError> read_flag(const JsonObject& filter, std::string_view key, bool offered, bool& flag) {
  const Json* value = find(filter, key);
  if (!value) return std::nullopt;
  if (!value->is_bool()) return invalid_params("notifications." + std::string(key) + " must be true or false");
  flag = offered && value->get_bool();
  return std::nullopt;
}

std::optional<RpcError> read_names(const JsonObject& filter, std::string_view key, std::set<std::string, std::less<>>& names) {
  const Json* value = find(filter, key);
  if (!value) return std::nullopt;
  const JsonArray* array = value->if_array();
  if (!array) return invalid_params("notifications." + std::string(key) + " must be a list of strings");
  if (array->size() > kMaxSubscriptionUris) return invalid_params("notifications." + std::string(key) + " has too many entries");
  for (const Json& name : *array) {
    if (!name.is_string()) return invalid_params("notifications." + std::string(key) + " must be a list of strings");
    if (name.get_string().size() > kMaxUriBytes)
      return invalid_params("notifications." + std::string(key) + " has an entry of more than " + std::to_string(kMaxUriBytes) +
                            " bytes");
    names.emplace(view(name.get_string()));
  }
  return std::nullopt;
}

JsonArray to_array(const std::set<std::string, std::less<>>& names) {
  JsonArray array;
  for (const std::string& name : names) array.emplace_back(name);
  return array;
}

}  // namespace

std::expected<Subscriptions::Filter, RpcError> Subscriptions::read_filter(const JsonObject& params, const Offer& offer,
                                                                          bool tasks_allowed) {
  const JsonObject* wanted = find_object(params, "notifications");
  if (!wanted) return std::unexpected(invalid_params("params.notifications must be an object"));
  Filter filter;
  if (auto error = read_flag(*wanted, "toolsListChanged", offer.tools, filter.tools)) return std::unexpected(*error);
  if (auto error = read_flag(*wanted, "promptsListChanged", offer.prompts, filter.prompts)) return std::unexpected(*error);
  if (auto error = read_flag(*wanted, "resourcesListChanged", offer.resources, filter.resources)) return std::unexpected(*error);
  if (auto error = read_names(*wanted, "resourceSubscriptions", filter.uris)) return std::unexpected(*error);
  if (!offer.updates) filter.uris.clear();
  if (auto error = read_names(*wanted, "taskIds", filter.tasks)) return std::unexpected(*error);
  if (!filter.tasks.empty() && !tasks_allowed)
    return std::unexpected(missing_tasks_extension("taskIds need the tasks extension"));
  if (!offer.tasks) filter.tasks.clear();
  return filter;
}

std::uint64_t Subscriptions::open(const Json& id, Filter filter, const Identity& identity, std::shared_ptr<Connection> connection,
                                  std::shared_ptr<Outlet> outlet) {
  JsonObject honoured;
  if (filter.tools) honoured["toolsListChanged"] = true;
  if (filter.prompts) honoured["promptsListChanged"] = true;
  if (filter.resources) honoured["resourcesListChanged"] = true;
  if (!filter.uris.empty()) honoured["resourceSubscriptions"] = to_array(filter.uris);
  if (!filter.tasks.empty()) honoured["taskIds"] = to_array(filter.tasks);
  Open subscription{id, std::move(filter), identity, std::move(connection), std::move(outlet)};
  tell(subscription, "notifications/subscriptions/acknowledged", {{"notifications", std::move(honoured)}});
  std::uint64_t handle = next_++;
  if (subscription.connection) subscription.connection->subscriptions[id_key(id)] = handle;
  open_.emplace(handle, std::move(subscription));
  return handle;
}

void Subscriptions::close(std::uint64_t handle) {
  auto closed = open_.find(handle);
  if (closed == open_.end()) return;
  if (closed->second.connection) closed->second.connection->subscriptions.erase(id_key(closed->second.id));
  open_.erase(closed);
}

void Subscriptions::tell(const Open& subscription, std::string_view method, JsonObject params) {
  params["_meta"] = JsonObject{{kSubscriptionId, subscription.id}};
  subscription.outlet->send(write_notification(method, params));
}

void Subscriptions::tools_changed() {
  for (const auto& [handle, open] : open_)
    if (open.filter.tools) tell(open, "notifications/tools/list_changed", {});
}

void Subscriptions::prompts_changed() {
  for (const auto& [handle, open] : open_)
    if (open.filter.prompts) tell(open, "notifications/prompts/list_changed", {});
}

void Subscriptions::resources_changed() {
  for (const auto& [handle, open] : open_)
    if (open.filter.resources) tell(open, "notifications/resources/list_changed", {});
}

void Subscriptions::resource_updated(const std::string& uri, const std::optional<Audience>& audience) {
  for (const auto& [handle, open] : open_)
    if (open.filter.uris.contains(uri) && (!audience || audience->has(open.identity)))
      tell(open, "notifications/resources/updated", {{"uri", uri}});
}

void Subscriptions::task_changed(const std::string& id, const Identity& owner, const JsonObject& task) {
  for (const auto& [handle, open] : open_)
    if (open.filter.tasks.contains(id) && open.identity.covers(owner)) tell(open, "notifications/tasks", task);
}

std::set<std::string> Subscriptions::watched_tasks() const {
  std::set<std::string> watched;
  for (const auto& [handle, open] : open_) watched.insert(open.filter.tasks.begin(), open.filter.tasks.end());
  return watched;
}

void Subscriptions::end_all(const JsonObject& server_meta) {
  for (auto& [handle, open] : open_) {
    // The specification's cancellation page asks for the notification on stdio, the subscription page for the
    // response: doing both satisfies both.
    if (open.connection) open.outlet->send(write_notification("notifications/cancelled", {{"requestId", open.id}}));
    JsonObject meta = server_meta;
    meta[kSubscriptionId] = open.id;
    if (open.connection) open.connection->subscriptions.clear();
    open.outlet->finish(write_result(open.id, {{"resultType", "complete"}, {"_meta", std::move(meta)}}), 200);
  }
  open_.clear();
}

}  // namespace holdfast::mcp
