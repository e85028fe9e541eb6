// Resources, prompts, completion, and the pages of their lists.

#include "mcp/server/server.h"
#include "mcp/wire/limits.h"

#include <algorithm>

namespace holdfast::mcp {

namespace {

JsonObject to_wire(const Resource& resource) {
  JsonObject wire{{"uri", resource.uri}, {"name", resource.name}};
  if (!resource.title.empty()) wire["title"] = resource.title;
  if (!resource.description.empty()) wire["description"] = resource.description;
  if (!resource.mime_type.empty()) wire["mimeType"] = resource.mime_type;
  return wire;
}

JsonObject to_wire(const ResourceTemplate& resource) {
  JsonObject wire{{"uriTemplate", resource.uri_template}, {"name", resource.name}};
  if (!resource.title.empty()) wire["title"] = resource.title;
  if (!resource.description.empty()) wire["description"] = resource.description;
  if (!resource.mime_type.empty()) wire["mimeType"] = resource.mime_type;
  return wire;
}

JsonObject to_wire(const Prompt& prompt) {
  JsonObject wire{{"name", prompt.name}};
  if (!prompt.title.empty()) wire["title"] = prompt.title;
  wire["description"] = prompt.description;
  JsonArray arguments;
  for (const PromptArgument& argument : prompt.arguments) {
    JsonObject entry{{"name", argument.name}};
    if (!argument.description.empty()) entry["description"] = argument.description;
    if (argument.required) entry["required"] = true;
    arguments.push_back(std::move(entry));
  }
  if (!arguments.empty()) wire["arguments"] = std::move(arguments);
  return wire;
}

// A cursor is good for the list and the principal it was given to (design 8.5).
std::string cursor_purpose(const Run& run) {
  return "cursor " + run.request().method + " " + run.caller().principal;
}

RpcError no_such_resource(const Caller& caller, std::string_view uri) {
  return {caller.era() == Era::modern ? code::kInvalidParams : code::kResourceNotFoundLegacy, "resource not found",
          JsonObject{{"uri", uri}}};
}

template <class T, class Convert>
Run::Handler wrap(std::function<Reply<T>(Call&)> handler, Convert convert) {
  return [handler = std::move(handler), convert](Call& call) -> Reply<JsonObject> {
    Reply<T> reply = handler(call);
    if (auto* result = std::get_if<T>(&reply)) return convert(std::move(*result), call.caller());
    if (auto* error = std::get_if<RpcError>(&reply)) return std::move(*error);
    return InputRequired{};
  };
}

JsonObject contents_to_wire(ResourceResult result, const Caller& caller) {
  JsonObject wire{{"contents", std::move(result.contents)}};
  if (caller.era() == Era::modern) {
    wire["ttlMs"] = result.ttl_ms;
    wire["cacheScope"] = result.shared ? "public" : "private";
  }
  return wire;
}

}  // namespace

void Server::add_resource(FixedResource resource) {
  resources_.push_back(std::move(resource));
}

void Server::add_template(ResourceTemplate resource_template) {
  templates_.push_back(std::move(resource_template));
}

void Server::add_prompt(Prompt prompt) {
  prompts_.push_back(std::move(prompt));
}

void Server::complete_prompt(const std::string& prompt, Completer completer) {
  completers_.insert_or_assign(prompt, std::move(completer));
}

// ---- pages ----

std::expected<JsonObject, RpcError> Server::read_cursor(const Run& run) const {
  const Json* cursor = find(run.request().params, "cursor");
  if (!cursor) return JsonObject{};
  if (!cursor->is_string()) return std::unexpected(invalid_params("cursor must be a string"));
  auto place = sealer_->open(cursor_purpose(run), view(cursor->get_string()));
  if (!place)
    return std::unexpected(
        invalid_params("cursor is not one this server gave out for " + run.request().method + "; list again without it"));
  return std::move(*place);
}

std::string Server::write_cursor(const Run& run, JsonObject place) const {
  return sealer_->seal(cursor_purpose(run), place);
}

void Server::answer_page(Run& run, std::string_view member, const std::vector<const JsonObject*>& items, bool for_all) {
  auto place = read_cursor(run);
  if (!place) return run.fail_with(place.error());
  std::size_t from = static_cast<std::size_t>(find_int(*place, "offset").value_or(0));
  std::size_t to = std::min(items.size(), from + kPageSize);
  JsonArray page;
  for (std::size_t i = from; i < to; ++i) page.push_back(*items[i]);
  JsonObject result{{member, std::move(page)}};
  if (to < items.size()) result["nextCursor"] = write_cursor(run, {{"offset", to}});
  if (run.caller().era() == Era::modern)
    for (auto& field : cache_fields()) result.insert(field);
  if (result.contains("cacheScope") && !for_all) result["cacheScope"] = "private";
  run.finish_with(std::move(result));
}

// ---- resources ----

void Server::on_list_resources(std::shared_ptr<Run> run) {
  std::vector<JsonObject> wire;
  for (const FixedResource& fixed : resources_) wire.push_back(to_wire(fixed.resource));
  std::vector<const JsonObject*> items;
  for (const JsonObject& entry : wire) items.push_back(&entry);
  answer_page(*run, "resources", items);
}

void Server::on_list_templates(std::shared_ptr<Run> run) {
  std::vector<JsonObject> wire;
  for (const ResourceTemplate& resource : templates_) wire.push_back(to_wire(resource));
  std::vector<const JsonObject*> items;
  for (const JsonObject& entry : wire) items.push_back(&entry);
  answer_page(*run, "resourceTemplates", items);
}

void Server::on_read_resource(std::shared_ptr<Run> run) {
  auto uri = find_string(run->request().params, "uri");
  if (!uri) return run->fail_with(invalid_params("resources/read needs a uri"));
  if (run->caller().era() == Era::modern)
    if (auto error = run->take_carried_input()) return run->fail_with(*error);
  for (const FixedResource& fixed : resources_)
    if (fixed.resource.uri == *uri) return run->start(wrap<ResourceResult>(fixed.read, contents_to_wire), RunOn::pool);
  for (const ResourceTemplate& candidate : templates_) {
    auto variables = match_template(candidate.uri_template, *uri);
    if (!variables) continue;
    auto read = [&candidate, uri = std::string(*uri), variables = std::move(*variables)](Call& call) -> ResourceReply {
      auto reply = candidate.read(call, uri, variables);
      return reply ? std::move(*reply) : ResourceReply(no_such_resource(call.caller(), uri));
    };
    return run->start(wrap<ResourceResult>(read, contents_to_wire), RunOn::pool);
  }
  run->fail_with(no_such_resource(run->caller(), *uri));
}

void Server::on_subscribe(std::shared_ptr<Run> run) {
  auto uri = find_string(run->request().params, "uri");
  if (!uri) return run->fail_with(invalid_params("resources/subscribe needs a uri"));
  if (uri->size() > kMaxUriBytes)
    return run->fail_with(invalid_params("uri may have at most " + std::to_string(kMaxUriBytes) + " bytes"));
  Connection& connection = *run->connection();
  if (connection.subscribed.contains(*uri)) return run->finish_with({});
  if (connection.subscribed.size() >= kMaxSubscriptionUris)
    return run->fail_with(invalid_params("too many subscriptions; unsubscribe from some first"));
  connection.subscribed.emplace(*uri);
  Connection::Change change{{}, std::string(*uri), {}};
  finish_when_saved(std::move(run), std::move(change));
}

void Server::on_unsubscribe(std::shared_ptr<Run> run) {
  auto uri = find_string(run->request().params, "uri");
  if (!uri) return run->fail_with(invalid_params("resources/unsubscribe needs a uri"));
  if (run->connection()->subscribed.erase(std::string(*uri)) == 0) return run->finish_with({});
  Connection::Change change{{}, {}, std::string(*uri)};
  finish_when_saved(std::move(run), std::move(change));
}

// ---- prompts ----

void Server::on_list_prompts(std::shared_ptr<Run> run) {
  std::vector<JsonObject> wire;
  for (const Prompt& prompt : prompts_)
    if (run->caller().era() == Era::modern || prompt.eras == Prompt::Eras::both) wire.push_back(to_wire(prompt));
  std::vector<const JsonObject*> items;
  for (const JsonObject& entry : wire) items.push_back(&entry);
  answer_page(*run, "prompts", items);
}

void Server::on_get_prompt(std::shared_ptr<Run> run) {
  const JsonObject& params = run->request().params;
  auto name = find_string(params, "name");
  if (!name) return run->fail_with(invalid_params("prompts/get needs the name of a prompt"));
  const Prompt* prompt = nullptr;
  for (const Prompt& candidate : prompts_)
    if (candidate.name == *name) prompt = &candidate;
  if (!prompt || (run->caller().era() == Era::legacy && prompt->eras == Prompt::Eras::modern_only))
    return run->fail_with(invalid_params("there is no prompt " + std::string(*name) + "; prompts/list names those there are"));
  if (const Json* arguments = find(params, "arguments")) {
    if (!arguments->is_object()) return run->fail_with(invalid_params("arguments must be an object"));
    for (const auto& argument : arguments->get_object())
      if (!argument.value().is_string())
        return run->fail_with(invalid_params("argument " + std::string(argument.key()) + " must be a string"));
    run->arguments() = arguments->get_object();
  }
  for (const PromptArgument& argument : prompt->arguments)
    if (argument.required && !run->arguments().contains(argument.name))
      return run->fail_with(invalid_params("argument " + argument.name + " is required"));
  if (run->caller().era() == Era::modern)
    if (auto error = run->take_carried_input()) return run->fail_with(*error);
  run->start(wrap<PromptResult>(prompt->get,
                                [](PromptResult result, const Caller&) {
                                  JsonObject wire;
                                  if (!result.description.empty()) wire["description"] = result.description;
                                  wire["messages"] = std::move(result.messages);
                                  return wire;
                                }),
             RunOn::pool);
}

void Server::on_complete(std::shared_ptr<Run> run) {
  const JsonObject& params = run->request().params;
  const JsonObject* ref = find_object(params, "ref");
  const JsonObject* argument = find_object(params, "argument");
  auto type = ref ? find_string(*ref, "type") : std::nullopt;
  auto target = type == "ref/prompt"     ? find_string(*ref, "name")
                : type == "ref/resource" ? find_string(*ref, "uri")
                                         : std::nullopt;
  auto name = argument ? find_string(*argument, "name") : std::nullopt;
  auto value = argument ? find_string(*argument, "value") : std::nullopt;
  if (!target || !name || !value)
    return run->fail_with(invalid_params("completion/complete needs ref{type, name or uri} and argument{name, value}"));
  auto completer = type == "ref/prompt" ? completers_.find(*target) : completers_.end();
  if (completer == completers_.end()) {
    bool known = type == "ref/prompt"
                     ? std::ranges::any_of(prompts_, [&](const Prompt& prompt) { return prompt.name == *target; })
                     : std::ranges::any_of(templates_, [&](const auto& entry) { return entry.uri_template == *target; });
    if (!known) return run->fail_with(invalid_params("there is no " + std::string(*target) + " to complete arguments of"));
    return run->finish_with({{"completion", JsonObject{{"values", JsonArray{}}, {"total", 0}, {"hasMore", false}}}});
  }
  JsonObject chosen;
  if (const JsonObject* context = find_object(params, "context"))
    if (const JsonObject* arguments = find_object(*context, "arguments")) chosen = *arguments;
  run->start(
      [complete = completer->second, name = std::string(*name), value = std::string(*value),
       chosen](Call& call) -> Reply<JsonObject> {
        Completion found = complete(call.caller(), name, value, chosen);
        JsonArray values;
        for (std::string& candidate : found.values) {
          if (values.size() == kMaxCompletions) break;
          values.emplace_back(std::move(candidate));
        }
        std::size_t total = std::max(found.total.value_or(0), found.values.size());
        bool more = total > values.size();
        return JsonObject{{"completion", JsonObject{{"values", std::move(values)}, {"total", total}, {"hasMore", more}}}};
      },
      RunOn::pool);
}

}  // namespace holdfast::mcp
