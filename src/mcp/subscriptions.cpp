#include "mcp/subscriptions.h"

#include "mcp/caller.h"
#include "mcp/limits.h"

namespace holdfast::mcp {

namespace {

constexpr std::string_view kSubscriptionId = "io.modelcontextprotocol/subscriptionId";

RpcError invalid(std::string message) {
  return {code::kInvalidParams, std::move(message), nullptr};
}

std::optional<RpcError> read_flag(const JsonObject& filter, std::string_view key, bool offered, bool& flag) {
  const Json* value = find(filter, key);
  if (!value) return std::nullopt;
  if (!value->is_bool()) return invalid("notifications." + std::string(key) + " must be true or false");
  flag = offered && value->get_bool();
  return std::nullopt;
}

std::optional<RpcError> read_names(const JsonObject& filter, std::string_view key, std::set<std::string, std::less<>>& names) {
  const Json* value = find(filter, key);
  if (!value) return std::nullopt;
  const JsonArray* array = value->if_array();
  if (!array) return invalid("notifications." + std::string(key) + " must be a list of strings");
  if (array->size() > kMaxSubscriptionUris) return invalid("notifications." + std::string(key) + " has too many entries");
  for (const Json& name : *array) {
    if (!name.is_string()) return invalid("notifications." + std::string(key) + " must be a list of strings");
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
  if (!wanted) return std::unexpected(invalid("params.notifications must be an object"));
  Filter filter;
  if (auto error = read_flag(*wanted, "toolsListChanged", offer.tools, filter.tools)) return std::unexpected(*error);
  if (auto error = read_flag(*wanted, "promptsListChanged", offer.prompts, filter.prompts)) return std::unexpected(*error);
  if (auto error = read_flag(*wanted, "resourcesListChanged", offer.resources, filter.resources)) return std::unexpected(*error);
  if (auto error = read_names(*wanted, "resourceSubscriptions", filter.uris)) return std::unexpected(*error);
  if (!offer.updates) filter.uris.clear();
  if (auto error = read_names(*wanted, "taskIds", filter.tasks)) return std::unexpected(*error);
  if (!filter.tasks.empty() && !tasks_allowed)
    return std::unexpected(
        RpcError{code::kMissingCapability, "taskIds need the tasks extension",
                 JsonObject{{"requiredCapabilities", JsonObject{{"extensions", JsonObject{{kTasksExtension, JsonObject{}}}}}}}});
  return filter;
}

std::uint64_t Subscriptions::open(const Json& id, Filter filter, const std::string& principal,
                                  std::shared_ptr<Connection> connection, std::shared_ptr<Outlet> outlet) {
  JsonObject honoured;
  if (filter.tools) honoured["toolsListChanged"] = true;
  if (filter.prompts) honoured["promptsListChanged"] = true;
  if (filter.resources) honoured["resourcesListChanged"] = true;
  if (!filter.uris.empty()) honoured["resourceSubscriptions"] = to_array(filter.uris);
  if (!filter.tasks.empty()) honoured["taskIds"] = to_array(filter.tasks);
  Open subscription{id, std::move(filter), principal, std::move(connection), std::move(outlet)};
  tell(subscription, "notifications/subscriptions/acknowledged", {{"notifications", std::move(honoured)}});
  std::uint64_t handle = next_++;
  open_.emplace(handle, std::move(subscription));
  return handle;
}

void Subscriptions::close(std::uint64_t handle) {
  open_.erase(handle);
}

bool Subscriptions::cancel(const Connection& connection, const std::string& key) {
  for (auto it = open_.begin(); it != open_.end(); ++it) {
    if (it->second.connection.get() != &connection || id_key(it->second.id) != key) continue;
    it->second.outlet->drop();
    open_.erase(it);
    return true;
  }
  return false;
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

void Subscriptions::resource_updated(const std::string& uri) {
  for (const auto& [handle, open] : open_)
    if (open.filter.uris.contains(uri)) tell(open, "notifications/resources/updated", {{"uri", uri}});
}

void Subscriptions::task_changed(const std::string& id, const std::string& principal, const JsonObject& task) {
  for (const auto& [handle, open] : open_)
    if (open.filter.tasks.contains(id) && open.principal == principal) tell(open, "notifications/tasks", task);
}

void Subscriptions::end_all(const JsonObject& server_meta) {
  for (auto& [handle, open] : open_) {
    // The specification's cancellation page asks for the notification on stdio, the subscription page for the
    // response: doing both satisfies both.
    if (open.connection) open.outlet->send(write_notification("notifications/cancelled", {{"requestId", open.id}}));
    JsonObject meta = server_meta;
    meta[kSubscriptionId] = open.id;
    open.outlet->finish(write_result(open.id, {{"resultType", "complete"}, {"_meta", std::move(meta)}}), 200);
  }
  open_.clear();
}

}  // namespace holdfast::mcp
